// AgentConflicts: agents that seem to share an id. Either their connections keep replacing each other, or one
// came with a wrong secret.
//
// Bounded: when there are more than kKept conflicts, the one that has been quiet longest is dropped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "proto/agent_id.h"

namespace statmill {

// One of the two agents in a conflict.
struct ConflictSide {
  std::string host;
  std::string peer;  // address and port
};

struct AgentConflict {
  enum class Kind : uint8_t {
    kClones,  // connections with the same id replace each other
    kOwner,   // a connection was refused because its secret was wrong
  };
  Kind kind = Kind::kClones;
  AgentId id{};
  ConflictSide known;  // the connection before, or the owner of the id
  ConflictSide other;
  uint64_t count = 0;  // since the conflict began
};

// Thread-compatible.
class AgentConflicts {
 public:
  static constexpr size_t kKept = 64;
  static constexpr Duration kWindow =
      std::chrono::minutes(10);           // a conflict ends after this long without events
  static constexpr size_t kClonesAt = 3;  // this many replacements within kWindow are not an accident

  // Records one event. Returns true if this event makes it a conflict.
  bool note(AgentConflict::Kind kind, const AgentId& id, ConflictSide known, ConflictSide other,
            SteadyTime now);
  // Returns the conflicts that have not ended, ordered by kind, then id.
  std::vector<AgentConflict> current(SteadyTime now) const;

 private:
  struct Entry {
    AgentConflict conflict;
    std::array<SteadyTime, kClonesAt> last{};  // times of the newest kClonesAt events, oldest first
    bool is_conflict = false;
  };
  static bool has_ended(const Entry& entry, SteadyTime now) { return now - entry.last.back() >= kWindow; }
  Entry& entry_of(AgentConflict::Kind kind, const AgentId& id, SteadyTime now);

  std::map<std::pair<AgentConflict::Kind, AgentId>, Entry> entries_;
};

}  // namespace statmill
