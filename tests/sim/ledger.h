// Ledger: what the agents were given, kept apart from all that is under test: the oracle of the simulation.
//
// Each line has a slot of time of its own, so that it can be found again at a server, and be seen to be there
// twice. Its series names the numbering (agent and epoch) that it was appended under.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "storage/agent_row.h"

namespace statmill::sim {

// The host of agents that are not ours, and have no lines.
inline constexpr std::string_view kStrangersHost = "stranger";
inline constexpr int64_t kFirstSlotS = 1'700'000'000;  // of line 0
inline constexpr int64_t kSlotS = 10;
// A clock that differs by no more from the right time never makes a server refuse a line.
inline constexpr Duration kClockRight = std::chrono::minutes(10);

// What a server has: by series, then by slot's time, how often.
using Content = std::map<std::string, std::map<int64_t, uint64_t>>;

// What a server has been through.
struct ServerPast {
  std::set<AgentId> forgotten;   // the agents that it ever forgot
  bool was_clock_wrong = false;  // ever, by more than kClockRight
};

std::string series_of(const AgentId& id, uint32_t epoch);

// Each function that gives text found a violation, and says which.
class Ledger {
 public:
  using Violation = std::optional<std::string>;

  // A spool was opened on a machine, and holds `lines` lines of its numbering, or has let them go. In a new
  // numbering they stand for what was lost with the identity before.
  Violation opened(size_t machine, const std::string& series, uint64_t lines);
  // The machine has taken a new identity: `lost` lines are given up, and the last `moved` are numbered anew.
  void renewed(size_t machine, const std::string& before, const std::string& series, uint64_t lost,
               uint64_t moved);
  // A process that kept its spool in memory has ended, and with it what was not told yet.
  void lost_memory(size_t machine);
  // Whose rows of an id are its agent's: a server may know it as somebody else's.
  void owned(const AgentId& id, const SecretHash& secret) { secrets_[id] = secret; }
  bool is_owner(const AgentId& id, const SecretHash& secret) const {
    const auto found = secrets_.find(id);
    return found != secrets_.end() && found->second == secret;
  }
  // A disk was copied to a machine that will take it for its own, with its identity.
  void cloned(size_t from, size_t machine, const std::string& series);
  // A line is made, behind `lines_before` others of its numbering; its text goes to `text`. A server may
  // refuse it if the agent's clock is wrong.
  Violation append(size_t machine, const std::string& series, uint64_t lines_before, bool is_clock_wrong,
                   std::string& text);
  // All lines made up to now are durable, or were dropped.
  void synced(size_t machine, const std::string& series);
  // The spool says that it has given up so many more lines.
  void gave_up(size_t machine, const std::string& series, uint64_t lines) {
    numberings_[series].of[machine].given_up += lines;
  }
  // Somebody has removed what was durable: what is lost by that, nobody can tell.
  void lose_count() { has_lost_count_ = true; }
  uint64_t lines_made() const { return lines_made_; }

  // What can be said of a server at any time, RAM included.
  Violation check_once(const Content& content) const;
  // What the store has of the samples is what its rows say. Of agents that it has forgotten once it may have
  // more; their rows say at least what is missing. Lines are refused only because of a wrong clock.
  Violation check_rows(const Content& content, const std::vector<AgentRow>& rows,
                       const ServerPast& past) const;
  // The row has come to the end of the numbering. A server that never lost anything itself lacks no more than
  // the spool has given up.
  Violation check_end(size_t machine, const AgentRow& row, uint32_t epoch, uint64_t lines,
                      bool has_lost_nothing) const;
  // At the end, of a server that never lost anything itself: of all that was durable on a machine it lacks no
  // more than it was told under the identities of that machine.
  Violation check_told(const Content& content, const std::vector<AgentRow>& rows) const;

 private:
  Violation check_row(const std::map<int64_t, uint64_t>& in, const AgentRow& row, bool was_forgotten,
                      std::set<int64_t>& known) const;
  void add_lines(const AgentId& id, std::set<int64_t>& known) const;
  uint64_t count_refusable(const AgentId& id) const;

  static constexpr int64_t kNoLine = 0;  // in the place of one that was lost with another identity

  // A numbering as one machine has it.
  struct Lines {
    std::vector<int64_t> slots;  // in order
    uint64_t durable = 0;        // of them
    uint64_t given_up = 0;
  };
  // More than one machine has it: a clone. Then what the server has of it is some of each.
  struct Numbering {
    std::map<size_t, Lines> of;  // by machine
  };
  std::set<size_t> machines_of(const AgentId& id) const;
  std::map<int64_t, uint64_t> count_slots(const Content& content) const;

  std::map<std::string, Numbering> numberings_;
  std::map<AgentId, SecretHash> secrets_;
  uint64_t lines_made_ = 0;
  bool has_lost_count_ = false;
  std::set<int64_t> refusable_;  // slots of lines that were made by a wrong clock
};

}  // namespace statmill::sim
