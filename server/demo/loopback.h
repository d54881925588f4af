// Sockets of the demo's senders: each sends from an address of its own in 127.0.0.0/8, so that the server
// tells them apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/text.h"

namespace statmill {

// A connection by TCP, or by a unix socket. Confined to one thread.
class LoopbackStream {
 public:
  // Has no connection.
  LoopbackStream() = default;
  // Connects; waits for the server's kernel only. is_open() is false if that failed. `from`: an IPv4 address
  // of this host.
  LoopbackStream(const std::string& from, const Endpoint& to);
  // The same with a unix socket.
  explicit LoopbackStream(const std::string& path);

  bool is_open() const { return socket_.is_open(); }
  void close() { socket_.reset(); }
  // Waits for room for up to kPatience. Closes the connection if not all could be sent.
  void send(std::string_view bytes);
  // Appends what has arrived, without waiting. Closes the connection if the server did.
  void receive(std::string& bytes);

 private:
  static constexpr int kPatienceSeconds = 2;

  Descriptor socket_;
};

// Sends one datagram; what cannot be sent is lost.
void send_datagram(const std::string& from, const Endpoint& to, std::string_view bytes);

// Returns an address of loopback for a sender: 127.`network`.x.y.
std::string loopback_address(uint8_t network, size_t number);

}  // namespace statmill
