#include <algorithm>
#include <tuple>

#include "server/agents/known_agent.h"

namespace statmill {
namespace {

// An agent that sends as a host, from when it connected (zero: it is not connected) to when it was last heard
// of.
struct HostSender {
  std::string host;
  Timestamp came{};
  Timestamp heard{};
  HostConflict::Party party;
  bool meets_another = false;
};

// `senders` are sorted by host, then `came`.
void mark_those_that_meet(std::vector<HostSender>& senders) {
  HostSender* latest = nullptr;  // of the same host, the one before that was heard of last
  for (HostSender& sender : senders) {
    if (latest != nullptr && latest->host != sender.host) latest = nullptr;
    if (latest != nullptr && latest->heard > sender.came) latest->meets_another = sender.meets_another = true;
    if (latest == nullptr || sender.heard > latest->heard) latest = &sender;
  }
}

}  // namespace

std::vector<AgentInfo> AgentRegistry::list(size_t limit, const Accepts& accepts) const {
  std::vector<AgentInfo> agents;
  {
    MutexLock lock(mutex_);
    agents.reserve(agents_.size());
    for (const auto& [id, agent] : agents_) {
      AgentInfo info{agent->row_copy, agent->durable, std::nullopt};
      if (agent->connected) info.connection = agent->connected->info;
      if (!accepts || accepts(info)) agents.push_back(std::move(info));
    }
  }
  std::sort(agents.begin(), agents.end(), [](const AgentInfo& a, const AgentInfo& b) {
    return std::tie(a.host(), a.row.id) < std::tie(b.host(), b.row.id);
  });
  if (agents.size() > limit) agents.resize(limit);
  return agents;
}

std::vector<AgentRegistry::AgentState> AgentRegistry::states() const {
  std::vector<AgentState> states;
  MutexLock lock(mutex_);
  states.reserve(agents_.size());
  for (const auto& [id, agent] : agents_) {
    const AgentRow& row = agent->row_copy;
    const AgentConnectionInfo* const info = agent->connected ? &agent->connected->info : nullptr;
    AgentState state{.id = id,
                     .host = info != nullptr ? info->host : row.host,
                     .version = info != nullptr ? info->agent_version : row.agent_version,
                     .is_connected = info != nullptr,
                     .boot = info != nullptr ? info->boot : row.boot,
                     .sources = info != nullptr ? info->sources : nullptr,
                     .gaps = row.gaps,
                     .last_gap = {}};
    if (!row.last_gaps.empty()) state.last_gap = row.last_gaps.back();
    states.push_back(std::move(state));
  }
  return states;
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

std::vector<HostConflict> AgentRegistry::host_conflicts(Timestamp now, size_t limit) const {
  std::vector<HostSender> senders;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, agent] : agents_) {
      const AgentConnectionInfo* const info = agent->connected ? &agent->connected->info : nullptr;
      const AgentRow& row = agent->row_copy;
      const std::string& host = info != nullptr ? info->host : row.host;
      if (host.empty() || (info == nullptr && now - row.seen >= kRecent)) continue;
      senders.push_back({.host = host,
                         .came = info != nullptr ? info->since : Timestamp(),
                         .heard = info != nullptr ? std::max(row.seen, info->since) : row.seen,
                         .party = {id, info != nullptr ? info->peer : row.peer}});
    }
  }
  std::sort(senders.begin(), senders.end(), [](const HostSender& a, const HostSender& b) {
    return std::tie(a.host, a.came, a.party.id) < std::tie(b.host, b.came, b.party.id);
  });
  mark_those_that_meet(senders);
  std::vector<HostConflict> conflicts;
  for (HostSender& sender : senders) {
    if (!sender.meets_another) continue;
    const bool is_first = conflicts.empty() || conflicts.back().host != sender.host;
    if (is_first && conflicts.size() == limit) break;
    if (is_first) conflicts.push_back({.host = sender.host});
    conflicts.back().parties.push_back(std::move(sender.party));
  }
  return conflicts;
}

void AgentRegistry::note_outdated(const HelloFrame& hello, const LineSender& sender, Timestamp now) {
  outdated_.add();
  MutexLock lock(mutex_);
  outdated_agents_.note(hello, sender, now);
}

std::vector<OutdatedAgent> AgentRegistry::outdated(Timestamp now) const {
  MutexLock lock(mutex_);
  return outdated_agents_.current(now);
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
