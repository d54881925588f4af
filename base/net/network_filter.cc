#include "base/net/network_filter.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <string>

#include "base/net/session_limit.h"

namespace statmill {
namespace {

constexpr unsigned kAddressBits = 128;
constexpr unsigned kMappedBits = 96;  // before an IPv4 address

// Returns the byte `i` of the mask of a prefix.
uint8_t mask_byte(unsigned prefix_bits, size_t i) {
  const unsigned before = static_cast<unsigned>(i) * 8;
  if (prefix_bits >= before + 8) return 0xff;
  if (prefix_bits <= before) return 0;
  return static_cast<uint8_t>(0xff << (8 - (prefix_bits - before)));
}

Error not_a_network(std::string_view text, std::string_view why) {
  return {ErrorCode::kInvalid, "\"" + std::string(text) + "\" " + std::string(why)};
}

}  // namespace

Result<Network> Network::parse(std::string_view text) {
  const size_t slash = text.find('/');
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(text.substr(0, slash)), error);
  if (error) return not_a_network(text, "is not an address or a network such as 10.1.0.0/16");
  const unsigned family_bits = address.is_v4() ? kMappedBits : 0;
  unsigned bits = kAddressBits - family_bits;
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (fault != std::errc() || end != digits.data() + digits.size() || bits > kAddressBits - family_bits)
      return not_a_network(text, "has no valid number of bits after the slash");
  }
  Network network{address_bytes(address), family_bits + bits};
  for (size_t i = 0; i < network.address.size(); ++i) {
    if ((network.address[i] & ~mask_byte(network.prefix_bits, i)) != 0)
      return not_a_network(text, "has bits set after the network's part");
  }
  return network;
}

bool Network::contains(const AddressBytes& other) const {
  for (size_t i = 0; i < address.size(); ++i) {
    if (((address[i] ^ other[i]) & mask_byte(prefix_bits, i)) != 0) return false;
  }
  return true;
}

bool NetworkLists::admit(const AddressBytes& address) const {
  const auto has = [&](const std::vector<Network>& networks) {
    return std::ranges::any_of(networks, [&](const Network& network) { return network.contains(address); });
  };
  return !has(deny) && (allow.empty() || has(allow));
}

void NetworkFilter::set(NetworkLists lists) {
  auto next = lists.are_empty() ? nullptr : std::make_shared<const NetworkLists>(std::move(lists));
  MutexLock lock(mutex_);
  lists_ = std::move(next);
}

std::shared_ptr<const NetworkLists> NetworkFilter::lists() const {
  MutexLock lock(mutex_);
  return lists_;
}

}  // namespace statmill
