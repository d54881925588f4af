// line_sender() converts a socket's peer address to a LineSender.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <cstring>

#include "base/net/session_limit.h"
#include "proto/line_sender.h"

namespace statmill {

// `port` 0: unknown.
inline LineSender line_sender(const boost::asio::ip::address& address, uint16_t port) {
  return LineSender::host(address_bytes(address), port);
}

// The sender of a datagram, without its port, which identifies nothing: senders use any free one.
inline LineSender line_sender(const sockaddr_storage& from) {
  namespace ip = boost::asio::ip;
  if (from.ss_family == AF_INET)
    return line_sender(ip::address_v4(ntohl(reinterpret_cast<const sockaddr_in&>(from).sin_addr.s_addr)), 0);
  if (from.ss_family != AF_INET6) return LineSender::local();
  LineSender::AddressBytes bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, bytes.size());
  return LineSender::host(bytes);
}

}  // namespace statmill
