// The peer of a socket as a LineSender.
#pragma once

#include <boost/asio/ip/address.hpp>

#include "proto/line_sender.h"

namespace statmill {

// `port` 0: not told.
inline LineSender line_sender(const boost::asio::ip::address& address, uint16_t port) {
  namespace ip = boost::asio::ip;
  const ip::address_v6 v6 =
      address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()) : address.to_v6();
  return LineSender::host(v6.to_bytes(), port);
}

}  // namespace statmill
