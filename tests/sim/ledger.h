// Ledger: records which lines the agents were given, independently of the code under test: the oracle
// of the simulation.
//
// Each line has its own time slot, so that a server's copy of it can be found and duplicates are detected.
// Its series names the numbering (agent id and epoch) under which it was appended.
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

// The host name in hellos of strangers, which have no lines.
inline constexpr std::string_view kStrangersHost = "stranger";
inline constexpr int64_t kFirstSlotS = 1'700'000'000;  // of line 0
inline constexpr int64_t kSlotS = 10;
// A clock within this of the right time never causes a server to refuse a line.
inline constexpr Duration kClockRight = std::chrono::minutes(10);

// Contents of a server: by series and slot time, the number of copies.
using Content = std::map<std::string, std::map<int64_t, uint64_t>>;

// Events in the history of a server.
struct ServerHistory {
  std::set<AgentId> forgotten;   // all agents that it ever forgot
  bool was_clock_wrong = false;  // ever, by more than kClockRight
};

std::string series_of(const AgentId& id, uint32_t epoch);

// Functions that return a Violation check an invariant and return the text of what is violated, or nullopt.
class Ledger {
 public:
  using Violation = std::optional<std::string>;

  // A spool was opened on a machine. It has or had `lines` lines of its numbering. In a new numbering these
  // lines are the ones lost with the previous identity.
  Violation opened(size_t machine, const std::string& series, uint64_t lines);
  // The machine has changed its identity: `lost` lines are given up, and the last `moved`
  // lines are renumbered.
  void identity_changed(size_t machine, const std::string& before, const std::string& series, uint64_t lost,
                        uint64_t moved);
  // A process with its spool in memory has ended; its unsent lines are lost.
  void lost_memory(size_t machine);
  // Records who owns an id: a server may know the id as another agent's.
  void owned(const AgentId& id, const SecretHash& secret) { secrets_[id] = secret; }
  bool is_owner(const AgentId& id, const SecretHash& secret) const {
    const auto found = secrets_.find(id);
    return found != secrets_.end() && found->second == secret;
  }
  // A disk was cloned to a machine that accepts it as its own, with its identity.
  void cloned(size_t from, size_t machine, const std::string& series);
  // Makes a line that follows `lines_before` others of its numbering, and appends its text to `text`. A
  // server may refuse the line if the agent's clock is wrong.
  Violation append(size_t machine, const std::string& series, uint64_t lines_before, bool is_clock_wrong,
                   std::string& text);
  // All lines made so far are durable or were dropped.
  void synced(size_t machine, const std::string& series);
  // The spool reports that it has given up `lines` more lines.
  void gave_up(size_t machine, const std::string& series, uint64_t lines) {
    numberings_[series].of[machine].given_up += lines;
  }
  // Durable data were removed, so that the number of lost lines is unknown.
  void allow_uncounted_loss() { has_uncounted_loss_ = true; }
  uint64_t lines_made() const { return lines_made_; }

  // Checks a server at any time, including its RAM: no line is there twice, and none that its agent has lost.
  Violation check_once(const Content& content) const;
  // Checks that the samples in the store are those that its agent rows describe. Rows of agents that
  // were forgotten at some time describe at least what is missing. Lines are only refused because of
  // a wrong clock.
  Violation check_rows(const Content& content, const std::vector<AgentRow>& rows,
                       const ServerHistory& history) const;
  // Checks that the row has reached the end of the numbering. On a server that never lost data itself, at
  // most the lines that the spool has given up are missing.
  Violation check_end(size_t machine, const AgentRow& row, uint32_t epoch, uint64_t lines,
                      bool has_lost_nothing) const;
  // Checks at the end, on a server that never lost data itself: of the durable lines of a machine, at most as
  // many are missing as were reported lost under the identities of that machine.
  Violation check_losses(const Content& content, const std::vector<AgentRow>& rows) const;

 private:
  Violation check_row(const std::map<int64_t, uint64_t>& in, const AgentRow& row, bool was_forgotten,
                      std::set<int64_t>& known) const;
  void add_lines(const AgentId& id, std::set<int64_t>& known) const;
  uint64_t count_refusable(const AgentId& id) const;

  static constexpr int64_t kNoLine = 0;  // in place of a line that was lost with another identity

  // The lines of a numbering on one machine.
  struct Lines {
    std::vector<int64_t> slots;  // in order
    uint64_t durable = 0;        // how many of them are durable
    uint64_t given_up = 0;
  };
  // Several machines have the same numbering if they are clones. Then the server has some lines of each.
  struct Numbering {
    std::map<size_t, Lines> of;  // by machine
  };
  std::set<size_t> machines_of(const AgentId& id) const;
  std::map<int64_t, uint64_t> count_slots(const Content& content) const;

  std::map<std::string, Numbering> numberings_;
  std::map<AgentId, SecretHash> secrets_;
  uint64_t lines_made_ = 0;
  bool has_uncounted_loss_ = false;
  std::set<int64_t> refusable_;  // slots of lines made while the agent's clock was wrong
};

}  // namespace statmill::sim
