// LineSender: the origin of a line, as far as the network shows it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace statmill {

struct LineSender {
  enum class Kind : uint8_t {
    kServer,  // the server itself
    kHttp,    // all HTTP clients together
    kLocal,   // all users of the unix socket together
    kHost,    // an address
  };
  using AddressBytes = std::array<uint8_t, 16>;  // IPv6, or IPv4 mapped into it (RFC 4291, 2.5.5.2)

  Kind kind = Kind::kServer;
  uint16_t port = 0;       // 0: unknown
  AddressBytes address{};  // in network byte order; zero unless kHost

  static LineSender local() { return {Kind::kLocal, 0, {}}; }
  static LineSender http() { return {Kind::kHttp, 0, {}}; }
  static LineSender host(const AddressBytes& address, uint16_t port = 0) {
    return {Kind::kHost, port, address};
  }

  // Returns the sender without its port: "10.0.0.7", "2001:db8::7", "http", "unix" or "server".
  std::string name() const;
  // Returns the sender with its port, if known: "10.0.0.7:4711", "[2001:db8::7]:4711".
  std::string text() const;

  friend bool operator==(const LineSender&, const LineSender&) = default;
};

}  // namespace statmill
