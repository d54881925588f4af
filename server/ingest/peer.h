// The peer of a socket as a LineSender.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <cstring>

#include "proto/line_sender.h"

namespace statmill {

// `port` 0: not told.
inline LineSender line_sender(const boost::asio::ip::address& address, uint16_t port) {
  namespace ip = boost::asio::ip;
  const ip::address_v6 v6 =
      address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
  return LineSender::host(v6.to_bytes(), port);
}

// Of a datagram; the port tells nobody anything.
inline LineSender line_sender(const sockaddr_storage& from) {
  LineSender::AddressBytes bytes{};
  if (from.ss_family == AF_INET6) {
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, bytes.size());
    return LineSender::host(bytes);
  }
  if (from.ss_family != AF_INET) return LineSender::local();
  bytes[10] = bytes[11] = 0xff;  // IPv4, mapped
  std::memcpy(&bytes[12], &reinterpret_cast<const sockaddr_in&>(from).sin_addr, 4);
  return LineSender::host(bytes);
}

}  // namespace statmill
