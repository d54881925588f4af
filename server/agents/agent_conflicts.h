// AgentConflicts: agents that seem to share an id: whose connections replace each other, or who come with
// another secret.
//
// Bounded: of more than kKept conflicts the one that was quiet for longest is given up.
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

// One side of a conflict.
struct AgentParty {
  std::string host;
  std::string peer;  // address and port
};

struct AgentConflict {
  enum class Kind : uint8_t {
    kClones,  // connections of one id that replace each other
    kOwner,   // a connection that came with another secret, and was refused
  };
  Kind kind = Kind::kClones;
  AgentId id{};
  AgentParty known;  // who spoke for the agent before, or owns it
  AgentParty other;
  uint64_t count = 0;  // since it began
};

// Thread-compatible.
class AgentConflicts {
 public:
  static constexpr size_t kKept = 64;
  static constexpr Duration kWindow =
      std::chrono::minutes(10);           // a conflict ends when nothing comes for so long
  static constexpr size_t kClonesAt = 3;  // so many replacements within kWindow are no accident

  // Gives whether this is the moment when it became a conflict.
  bool note(AgentConflict::Kind kind, const AgentId& id, AgentParty known, AgentParty other, SteadyTime now);
  // Those that have not ended, by kind, then id.
  std::vector<AgentConflict> current(SteadyTime now) const;

 private:
  struct Entry {
    AgentConflict conflict;
    std::array<SteadyTime, kClonesAt> last{};  // of the newest kClonesAt, oldest first
    bool is_conflict = false;
  };
  static bool has_ended(const Entry& entry, SteadyTime now) { return now - entry.last.back() >= kWindow; }
  Entry& entry_of(AgentConflict::Kind kind, const AgentId& id, SteadyTime now);

  std::map<std::pair<AgentConflict::Kind, AgentId>, Entry> entries_;
};

}  // namespace statmill
