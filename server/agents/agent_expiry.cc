#include <algorithm>

#include "server/agents/known_agent.h"

namespace statmill {
namespace {

// How far the time of a tick may be ahead of the newest batch when agents expire. Beyond that it is ignored,
// so that a clock that is ahead does not make the server forget its agents.
constexpr Duration kBeyondNewest = std::chrono::hours(1);

Timestamp last_activity(const AgentRow& row) { return std::max(row.seen, row.newest); }

// The agent with the lowest rank is evicted first: agents that never had data, then those silent longest.
Timestamp eviction_rank(const AgentRow& row) {
  return row.newest == Timestamp() ? Timestamp::min() : last_activity(row);
}

std::string description(const AgentRow& row) { return row.id.text() + " (" + row.host + ")"; }

}  // namespace

bool AgentRegistry::may_forget(SteadyTime now) const {
  return started_ && now - *started_ >= limits_.startup_grace;
}

// Returns true if the agent is registered, is not being forgotten, has no connection, and all its accepted
// batches are durable.
bool AgentRegistry::is_idle(const Agent& agent) const {
  return agent.is_registered && !agent.is_being_forgotten && !agent.connected &&
         agent.durable == agent.row_copy.progress();
}

// Returns the agent to forget when a new one needs room; nullptr if no agent may be forgotten.
AgentRegistry::Agent* AgentRegistry::find_victim(TickTime now) {
  if (!may_forget(now.steady)) return nullptr;
  for (; !victims_.empty(); victims_.pop_back()) {
    const auto found = agents_.find(victims_.back().second);
    if (found != agents_.end() && is_idle(*found->second) &&
        eviction_rank(found->second->row_copy) == victims_.back().first)
      return found->second.get();
  }
  if (now.steady < next_victims_) return nullptr;
  next_victims_ = now.steady + kVictimInterval;
  for (const auto& [id, agent] : agents_) {
    if (is_idle(*agent)) victims_.emplace_back(eviction_rank(agent->row_copy), id);
  }
  const size_t found = std::min(kVictimsFound, victims_.size());
  const auto end = victims_.begin() + static_cast<std::ptrdiff_t>(found);
  std::partial_sort(victims_.begin(), end, victims_.end());
  victims_.erase(end, victims_.end());
  std::reverse(victims_.begin(), victims_.end());
  return victims_.empty() ? nullptr : agents_.at(victims_.back().second).get();
}

// Requires: the agent is registered, and no connection speaks for it.
void AgentRegistry::schedule_forget(Agent& agent) {
  agent.is_being_forgotten = true;
  forgetting_.insert(agent.row_copy.id);
  --registered_;
  forgotten_until_ = std::max(forgotten_until_.value_or(agent.row_copy.newest), agent.row_copy.newest);
}

// Schedules the agents that were not seen for longer than expiry_.
void AgentRegistry::schedule_unseen(Timestamp now) {
  if (now_ < next_forget_ || !may_forget(now_)) return;
  next_forget_ = now_ + kForgetInterval;
  const Timestamp horizon = std::min(now, newest_batch_ + kBeyondNewest) - expiry_;
  for (const auto& [id, agent] : agents_) {
    if (is_idle(*agent) && last_activity(agent->row_copy) < horizon) schedule_forget(*agent);
  }
}

void AgentRegistry::forget_scheduled(StoreBatch& batch) {
  if (forgetting_.empty()) return;
  std::set<AgentId> forgotten;
  for (const AgentId& id : forgetting_) {
    // An agent whose last batch belongs to the current epoch has to wait for the next tick.
    if (!unsaved_rows_[0].contains(id) && !unsaved_rows_[1].contains(id)) forgotten.insert(id);
  }
  if (forgotten.empty()) return;
  std::erase_if(batch.agents, [&](const AgentRow& row) { return forgotten.contains(row.id); });
  for (const AgentId& id : forgotten) {
    forgetting_.erase(id);
    agents_.erase(id);
    batch.forgotten_agents.push_back(id);
    forgotten_.add();
  }
  batch.forgotten_until = forgotten_until_;
}

// Returns the one registered agent whose id starts with `prefix`.
Result<std::shared_ptr<AgentRegistry::Agent>> AgentRegistry::find_one(std::string_view prefix) const {
  std::string lowest(prefix);
  lowest.resize(2 * AgentId::kBytes, '0');
  const auto first = prefix.empty() || prefix.size() > lowest.size() ? std::nullopt : AgentId::parse(lowest);
  if (!first) return Error{ErrorCode::kInvalid, "\"" + std::string(prefix) + "\" is not the start of an id"};
  MutexLock lock(mutex_);
  std::shared_ptr<Agent> found;
  for (auto it = agents_.lower_bound(*first); it != agents_.end() && it->first.text().starts_with(prefix);
       ++it) {
    if (!it->second->is_registered || it->second->is_being_forgotten) continue;
    if (found) {
      return Error{ErrorCode::kInvalid, "several ids start with this: " + description(found->row_copy) +
                                            ", " + description(it->second->row_copy) + ", ..."};
    }
    found = it->second;
  }
  if (!found)
    return Error{ErrorCode::kNotFound, "no agent has an id that starts with " + std::string(prefix)};
  return found;
}

Result<AgentRow> AgentRegistry::forget(const ForgetRequest& request) {
  auto agent = find_one(request.id);
  if (!agent) return agent.error();
  std::shared_ptr<AgentObserver> observer;
  AgentRow row;
  {
    MutexLock own((*agent)->mutex);
    MutexLock lock(mutex_);
    row = (*agent)->row_copy;
    if ((*agent)->is_being_forgotten) return row;  // it was evicted in the meantime
    if ((*agent)->connected && !request.even_connected)
      return Error{ErrorCode::kBusy,
                   "agent " + description(row) + " is connected; stop it first, or use force"};
    if ((*agent)->connected) observer = (*agent)->connected->observer;
    (*agent)->connection = 0;
    (*agent)->provisional.reset();
    (*agent)->connected.reset();
    schedule_forget(**agent);
  }
  if (observer) observer->on_ended(RefuseReason::kStopping);
  return row;
}

}  // namespace statmill
