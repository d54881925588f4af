#include "server/agents/agent_conflicts.h"

#include <algorithm>

namespace statmill {

AgentConflicts::Entry& AgentConflicts::entry_of(AgentConflict::Kind kind, const AgentId& id, SteadyTime now) {
  const std::pair key(kind, id);
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    if (has_ended(found->second, now)) found->second = {};
    return found->second;
  }
  if (entries_.size() >= kKept) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.last.back() < b.second.last.back();
    }));
  }
  return entries_[key];
}

bool AgentConflicts::note(AgentConflict::Kind kind, const AgentId& id, ConflictSide known, ConflictSide other,
                          SteadyTime now) {
  Entry& entry = entry_of(kind, id, now);
  entry.conflict = {kind, id, std::move(known), std::move(other), entry.conflict.count + 1};
  std::rotate(entry.last.begin(), entry.last.begin() + 1, entry.last.end());
  entry.last.back() = now;
  if (entry.is_conflict) return false;
  const size_t needed = kind == AgentConflict::Kind::kClones ? kClonesAt : 1;
  entry.is_conflict = entry.conflict.count >= needed && now - entry.last[kClonesAt - needed] < kWindow;
  return entry.is_conflict;
}

std::vector<AgentConflict> AgentConflicts::current(SteadyTime now) const {
  std::vector<AgentConflict> conflicts;
  for (const auto& [key, entry] : entries_) {
    if (entry.is_conflict && !has_ended(entry, now)) conflicts.push_back(entry.conflict);
  }
  return conflicts;
}

}  // namespace statmill
