#include <algorithm>
#include <tuple>

#include "server/agents/known_agent.h"

namespace statmill {

std::vector<AgentInfo> AgentRegistry::list(size_t limit) const {
  std::vector<AgentInfo> agents;
  {
    MutexLock lock(mutex_);
    agents.reserve(agents_.size());
    for (const auto& [id, agent] : agents_) {
      AgentInfo info{agent->row_copy, agent->durable, std::nullopt};
      if (agent->connected) info.connection = agent->connected->info;
      agents.push_back(std::move(info));
    }
  }
  std::sort(agents.begin(), agents.end(), [](const AgentInfo& a, const AgentInfo& b) {
    return std::tie(a.host(), a.row.id) < std::tie(b.host(), b.row.id);
  });
  if (agents.size() > limit) agents.resize(limit);
  return agents;
}

std::vector<AgentRegistry::ClockDifference> AgentRegistry::clock_differences(Duration limit) const {
  std::vector<ClockDifference> differences;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, agent] : agents_) {
      if (!agent->connected) continue;
      const AgentConnectionInfo& info = agent->connected->info;
      if (std::chrono::abs(info.clock_ahead) > limit) differences.push_back({info.host, info.clock_ahead});
    }
  }
  std::sort(differences.begin(), differences.end(), [](const ClockDifference& a, const ClockDifference& b) {
    return std::chrono::abs(a.ahead) > std::chrono::abs(b.ahead);
  });
  return differences;
}

Duration AgentRegistry::clock_difference_max() const {
  const auto differences = clock_differences(Duration(0));
  return differences.empty() ? Duration(0) : std::chrono::abs(differences.front().ahead);
}

std::vector<AgentConflict> AgentRegistry::conflicts(SteadyTime now) const {
  MutexLock lock(mutex_);
  return conflicts_.current(now);
}

size_t AgentRegistry::count() const {
  MutexLock lock(mutex_);
  return agents_.size();
}

size_t AgentRegistry::connected() const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(
      agents_.begin(), agents_.end(), [](const auto& entry) { return entry.second->connected != nullptr; }));
}

}  // namespace statmill
