// Sockets as tests need them: a TCP connection, a UDP sender, a listener on a free port. Blocking, loopback.
//
// Nothing waits longer than kSocketTimeout; a call that fails or times out says so by its result.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/text.h"

namespace statmill {

inline constexpr std::chrono::seconds kSocketTimeout{30};

// "127.0.0.1:8111" or "[::1]:8111", as the server's ready line has it. Ends the process on any other text.
Endpoint endpoint_of(std::string_view text);

class TcpConnection {
 public:
  explicit TcpConnection(Descriptor socket) : socket_(std::move(socket)) {}
  // Not connected when nobody listens there.
  static TcpConnection to(const Endpoint& endpoint);

  bool is_connected() const { return socket_.is_open(); }
  // False when the peer is gone or does not read for kSocketTimeout.
  bool send(std::string_view bytes);
  // What has come, at least one byte; empty when the peer has closed or nothing comes for kSocketTimeout.
  std::string receive();
  // Everything up to the peer's close.
  std::string receive_all();
  // No more bytes from this side; the peer reads the end.
  void finish_sending();
  void close() { socket_.reset(); }
  // Closes so that the peer sees a reset (RST), not an end.
  void abort();

 private:
  Descriptor socket_;
};

// The same over a unix socket. Not connected when nobody listens there. Requires: a path that fits a socket.
TcpConnection unix_connection(const std::string& path);

class UdpSender {
 public:
  explicit UdpSender(const Endpoint& endpoint);
  bool send(std::string_view datagram);
  // Sends `bytes` as datagrams of that size, the last may be shorter, in one call (UDP_SEGMENT).
  bool send_cut(std::string_view bytes, uint16_t datagram_bytes);

 private:
  Descriptor socket_;
};

// Listens on a free port of 127.0.0.1 from construction on.
class TcpListener {
 public:
  TcpListener();

  Endpoint endpoint() const { return endpoint_; }
  // Not connected when nobody comes for kSocketTimeout or stop() was called.
  TcpConnection accept();
  // Ends a waiting accept() and all later ones. May be called from any thread.
  void stop();

 private:
  Descriptor socket_;
  Endpoint endpoint_;
};

// A port of 127.0.0.1 that was free a moment ago: for a peer that must not be there.
uint16_t unused_port();

}  // namespace statmill
