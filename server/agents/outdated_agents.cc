#include "server/agents/outdated_agents.h"

#include <algorithm>

namespace statmill {

void OutdatedAgents::note(const HelloFrame& hello, const LineSender& sender, Timestamp now) {
  const std::pair key(std::string(hello.host), sender.name());
  if (agents_.size() >= kKept && !agents_.contains(key)) {
    agents_.erase(std::min_element(agents_.begin(), agents_.end(), [](const auto& a, const auto& b) {
      return a.second.seen < b.second.seen;
    }));
  }
  OutdatedAgent& agent = agents_[key];
  agent = {.host = key.first,
           .address = key.second,
           .protocol = hello.version,
           .agent_version = std::string(hello.agent_version),
           .refused = agent.refused + 1,
           .seen = now};
}

std::vector<OutdatedAgent> OutdatedAgents::current(Timestamp now) const {
  std::vector<OutdatedAgent> current;
  for (const auto& [key, agent] : agents_) {
    if (now - agent.seen < kWindow) current.push_back(agent);
  }
  return current;
}

}  // namespace statmill
