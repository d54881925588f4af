// IP addresses as bytes: keys of the tables that count what each client does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/process_hash.h"

namespace statmill {

// In network byte order: IPv6, or IPv4 mapped into it (RFC 4291, 2.5.5.2).
using AddressBytes = std::array<uint8_t, 16>;

struct AddressHash {
  size_t operator()(const AddressBytes& address) const {
    return process_hash()({reinterpret_cast<const char*>(address.data()), address.size()});
  }
};

template <class Value>
using AddressMap = std::unordered_map<AddressBytes, Value, AddressHash>;

inline bool is_ipv4(const AddressBytes& address) {
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.end(), address.begin());
}

// Returns what counts as one client: an IPv4 address, or the /64 network of an IPv6 address, since one host
// may use any address of its network.
inline AddressBytes client_network(AddressBytes address) {
  constexpr size_t kNetworkBytes = 8;
  if (!is_ipv4(address)) std::fill(address.begin() + kNetworkBytes, address.end(), uint8_t{0});
  return address;
}

}  // namespace statmill
