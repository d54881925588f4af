// Blocking sockets for tests: a TCP connection, a UDP sender, a listener on a free port of the loopback
// interface.
//
// No call waits longer than kSocketTimeout; the result says if it failed or timed out.
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

// Parses "127.0.0.1:8111" or "[::1]:8111", as in the server's ready line. Ends the process on any other text.
Endpoint endpoint_of(std::string_view text);

class TcpConnection {
 public:
  explicit TcpConnection(Descriptor socket) : socket_(std::move(socket)) {}
  // The result is not connected if nobody listens there.
  static TcpConnection to(const Endpoint& endpoint);
  // The same from another address of this host, such as 127.0.0.2.
  static TcpConnection to(const Endpoint& endpoint, const std::string& source);

  bool is_connected() const { return socket_.is_open(); }
  // Passes ownership of the socket to the caller.
  Descriptor release() { return std::move(socket_); }
  // Returns false if the peer has closed, or does not read for kSocketTimeout.
  bool send(std::string_view bytes);
  // Returns at least one byte; empty if the peer has closed or sends nothing for kSocketTimeout.
  std::string receive();
  // Returns everything up to the peer's close.
  std::string receive_all();
  // Ends the stream from this side.
  void finish_sending();
  void close() { socket_.reset(); }
  // Closes with a reset (RST) instead of an end of stream.
  void abort();

 private:
  Descriptor socket_;
};

// Connects to a Unix socket. The result is not connected if nobody listens there. Requires: the path fits
// into an address.
TcpConnection unix_connection(const std::string& path);

class UdpSender {
 public:
  // `source`: another address of this host, such as 127.0.0.2; empty: any.
  explicit UdpSender(const Endpoint& endpoint, const std::string& source = "");
  bool send(std::string_view datagram);
  // Sends `bytes` in one call (UDP_SEGMENT) as datagrams of the given size; the last one may be shorter.
  bool send_cut(std::string_view bytes, uint16_t datagram_bytes);

 private:
  Descriptor socket_;
};

// Listens on a free port of 127.0.0.1.
class TcpListener {
 public:
  TcpListener();

  Endpoint endpoint() const { return endpoint_; }
  // The result is not connected if nobody connects within kSocketTimeout, or if stop() was called.
  TcpConnection accept();
  // Ends a waiting accept() and all later ones. Thread-safe.
  void stop();

 private:
  Descriptor socket_;
  Endpoint endpoint_;
};

// Returns a port of 127.0.0.1 that was free just now, for a peer that must not exist.
uint16_t unused_port();

}  // namespace statmill
