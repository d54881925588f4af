// Which agents are forgotten, and when.
#include <algorithm>

#include "server/agents/known_agent.h"

namespace statmill {
namespace {

// How far the time may be ahead of the newest batch when it says that an agent is unseen for too long.
constexpr Duration kBeyondNewest = std::chrono::hours(1);

Timestamp last_sign_of(const AgentRow& row) { return std::max(row.seen, row.newest); }

// Of two agents the one with the lower goes first; those that never had data before all others.
Timestamp rank_of(const AgentRow& row) {
  return row.newest == Timestamp() ? Timestamp::min() : last_sign_of(row);
}

std::string described(const AgentRow& row) { return row.id.text() + " (" + row.host + ")"; }

}  // namespace

bool AgentRegistry::may_forget(SteadyTime now) const {
  return started_ && now - *started_ >= limits_.keeps_all_for;
}

// All that was taken of it is durable, and nobody speaks for it.
bool AgentRegistry::is_at_rest(const Agent& agent) const {
  return agent.is_kept && !agent.is_leaving && !agent.connected && agent.durable == agent.noted.position;
}

// The agent to forget when another needs its place; null: there is none.
AgentRegistry::Agent* AgentRegistry::find_victim(TickTime now) {
  if (!may_forget(now.steady)) return nullptr;
  for (; !victims_.empty(); victims_.pop_back()) {
    const auto found = agents_.find(victims_.back().second);
    if (found != agents_.end() && is_at_rest(*found->second) &&
        rank_of(found->second->noted) == victims_.back().first)
      return found->second.get();
  }
  if (now.steady < next_victims_) return nullptr;
  next_victims_ = now.steady + kVictimInterval;
  for (const auto& [id, agent] : agents_) {
    if (is_at_rest(*agent)) victims_.emplace_back(rank_of(agent->noted), id);
  }
  const size_t found = std::min(kVictimsFound, victims_.size());
  const auto end = victims_.begin() + static_cast<std::ptrdiff_t>(found);
  std::partial_sort(victims_.begin(), end, victims_.end());
  victims_.erase(end, victims_.end());
  std::reverse(victims_.begin(), victims_.end());
  return victims_.empty() ? nullptr : agents_.at(victims_.back().second).get();
}

// Requires: is_kept, and nobody speaks for it any more.
void AgentRegistry::leave(Agent& agent) {
  agent.is_leaving = true;
  leaving_.insert(agent.noted.id);
  --kept_;
  forgotten_until_ = std::max(forgotten_until_.value_or(agent.noted.newest), agent.noted.newest);
}

// Those that were not seen for longer than anything of them is kept.
void AgentRegistry::find_unseen(Timestamp now) {
  if (now_ < next_forget_ || !may_forget(now_)) return;
  next_forget_ = now_ + kForgetInterval;
  const Timestamp horizon = std::min(now, newest_ + kBeyondNewest) - limits_.kept;
  for (const auto& [id, agent] : agents_) {
    if (is_at_rest(*agent) && last_sign_of(agent->noted) < horizon) leave(*agent);
  }
}

void AgentRegistry::forget_leaving(StoreBatch& batch) {
  if (leaving_.empty()) return;
  std::set<AgentId> forgotten;
  for (const AgentId& id : leaving_) {
    // Its last batch may be of the epoch that goes on.
    if (!noted_[0].contains(id) && !noted_[1].contains(id)) forgotten.insert(id);
  }
  if (forgotten.empty()) return;
  std::erase_if(batch.agents, [&](const AgentRow& row) { return forgotten.contains(row.id); });
  for (const AgentId& id : forgotten) {
    leaving_.erase(id);
    agents_.erase(id);
    batch.forgotten_agents.push_back(id);
    forgotten_.add();
  }
  batch.forgotten_until = forgotten_until_;
}

// The one agent with a place whose id begins so.
Result<std::shared_ptr<AgentRegistry::Agent>> AgentRegistry::find_one(std::string_view prefix) const {
  std::string lowest(prefix);
  lowest.resize(2 * AgentId::kBytes, '0');
  const auto first = prefix.empty() || prefix.size() > lowest.size() ? std::nullopt : AgentId::parse(lowest);
  if (!first) return Error{ErrorCode::kInvalid, "\"" + std::string(prefix) + "\" is no beginning of an id"};
  MutexLock lock(mutex_);
  std::shared_ptr<Agent> found;
  for (auto it = agents_.lower_bound(*first); it != agents_.end() && it->first.text().starts_with(prefix);
       ++it) {
    if (!it->second->is_kept || it->second->is_leaving) continue;
    if (found) {
      return Error{ErrorCode::kInvalid, "several ids begin so: " + described(found->noted) + ", " +
                                            described(it->second->noted) + ", ..."};
    }
    found = it->second;
  }
  if (!found)
    return Error{ErrorCode::kNotFound, "no agent has an id that begins with " + std::string(prefix)};
  return found;
}

Result<AgentRow> AgentRegistry::forget(const ForgetRequest& request) {
  auto agent = find_one(request.id);
  if (!agent) return agent.error();
  std::shared_ptr<AgentWatcher> watcher;
  AgentRow row;
  {
    MutexLock own((*agent)->mutex);
    MutexLock lock(mutex_);
    row = (*agent)->noted;
    if ((*agent)->is_leaving) return row;  // it has become a victim meanwhile
    if ((*agent)->connected && !request.even_connected)
      return Error{ErrorCode::kBusy, "agent " + described(row) + " is connected; stop it first, or force it"};
    if ((*agent)->connected) watcher = (*agent)->connected->watcher;
    (*agent)->connection = 0;
    (*agent)->offer.reset();
    (*agent)->connected.reset();
    leave(**agent);
  }
  if (watcher) watcher->ended(RefuseReason::kStopping);
  return row;
}

}  // namespace statmill
