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

// What a server has: by series, then by slot's time, how often.
using Content = std::map<std::string, std::map<int64_t, uint64_t>>;

std::string series_of(const AgentId& id, uint32_t epoch);

// Each function that gives text found a violation, and says which.
class Ledger {
 public:
  using Violation = std::optional<std::string>;

  // A spool was opened on a machine, and holds `lines` lines of its numbering, or has let them go.
  Violation opened(size_t machine, const std::string& series, uint64_t lines);
  // A line is made, behind `lines_before` others of its numbering; its text goes to `text`.
  Violation append(const std::string& series, uint64_t lines_before, std::string& text);
  // All lines made up to now are durable, or were dropped.
  void synced(const std::string& series) { numberings_[series].durable = numberings_[series].lines.size(); }
  // The spool says that it has given up so many more lines.
  void gave_up(const std::string& series, uint64_t lines) { numberings_[series].given_up += lines; }
  uint64_t lines_made() const { return lines_made_; }

  // What can be said of a server at any time, RAM included.
  Violation check_once(const Content& content) const;
  // What the store has of the samples is what its rows say. Of agents that it has forgotten once it may have
  // more; their rows say at least what is missing.
  Violation check_rows(const Content& content, const std::vector<AgentRow>& rows,
                       const std::set<AgentId>& forgotten) const;
  // The row has come to the end of the numbering. A server that never lost anything itself lacks no more than
  // the spool has given up.
  Violation check_end(const AgentRow& row, uint32_t epoch, uint64_t lines, bool has_lost_nothing) const;

 private:
  Violation check_row(const Content& content, const AgentRow& row, bool was_forgotten) const;

  struct Numbering {
    size_t machine = 0;
    std::vector<int64_t> lines;  // slots, in order
    uint64_t durable = 0;        // of them
    uint64_t given_up = 0;
  };

  std::map<std::string, Numbering> numberings_;
  uint64_t lines_made_ = 0;
};

}  // namespace statmill::sim
