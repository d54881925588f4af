#include "server/agents/new_agent_limit.h"

#include <algorithm>
#include <array>

namespace statmill {
namespace {

constexpr size_t kNetworkBytes = 8;  // of an IPv6 address

bool is_ipv4(const LineSender::AddressBytes& address) {
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.end(), address.begin());
}

LineSender::AddressBytes counted_as(LineSender::AddressBytes address) {
  if (!is_ipv4(address)) std::fill(address.begin() + kNetworkBytes, address.end(), uint8_t{0});
  return address;
}

}  // namespace

NewAgentLimit::Window& NewAgentLimit::window_of(const LineSender& sender, SteadyTime now) {
  const Address address = counted_as(sender.address);
  const auto is_over = [&](const Window& window) { return now - window.begin >= kWindow; };
  if (windows_.size() >= kAddressesMax && !windows_.contains(address))
    std::erase_if(windows_, [&](const auto& entry) { return is_over(entry.second); });
  const bool is_counted = windows_.size() < kAddressesMax || windows_.contains(address);
  Window& window = is_counted ? windows_[address] : others_;
  if (window.agents == 0 || is_over(window)) window = {now, 0};
  return window;
}

bool NewAgentLimit::has_room(const LineSender& sender, SteadyTime now) {
  return !is_limited(sender) || window_of(sender, now).agents < agents_max_;
}

void NewAgentLimit::note(const LineSender& sender, SteadyTime now) {
  if (is_limited(sender)) ++window_of(sender, now).agents;
}

}  // namespace statmill
