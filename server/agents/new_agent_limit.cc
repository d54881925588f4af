#include "server/agents/new_agent_limit.h"

namespace statmill {

NewAgentLimit::Window& NewAgentLimit::window_of(const LineSender& sender, SteadyTime now) {
  const AddressBytes address = client_network(sender.address);
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
