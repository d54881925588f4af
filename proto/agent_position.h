// AgentProgress: which of an agent's batches have arrived. GapReason: why some batches never arrive.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace statmill {

// All batches up to `seq` of numbering `epoch` have arrived. They hold `lines` lines; the agent made the last
// one at `time`. An epoch numbers its batches from 1 without a gap.
struct AgentPosition {
  uint32_t epoch = 0;
  uint64_t seq = 0;
  uint64_t lines = 0;
  Timestamp time{};

  bool operator==(const AgentPosition&) const = default;
};

// Batches that arrived ahead of older ones, the backlog: all after `after` up to `last.seq`.
struct AgentRun {
  uint64_t after = 0;         // at most last.seq; if they are equal, the run is still empty
  uint64_t lines_before = 0;  // in all batches up to `after`
  AgentPosition last{};       // of the same epoch as the position before the backlog

  bool operator==(const AgentRun&) const = default;
};

// All batches up to `position` have arrived, and perhaps one run of later ones.
struct AgentProgress {
  AgentPosition position{};
  std::optional<AgentRun> ahead{};  // begins after `position`, at the earliest with the second batch after it

  // Adds the batches from `first` to `end.seq`: after `position`, after the run, or, if there is no run, as
  // the first of one. When the last batch before the run arrives, position and run become one. `lines_before`
  // counts the lines of all batches before `first`; nullopt, for a gap: not known. Returns false and changes
  // nothing if the batches do not follow, or if the lines do not add up. Ignores `end.epoch`.
  bool extend(uint64_t first, std::optional<uint64_t> lines_before, AgentPosition end);
  bool contains(uint64_t seq) const;
  // The end of what `seq` would extend.
  const AgentPosition& before(uint64_t seq) const { return seq == position.seq + 1 ? position : last(); }
  const AgentPosition& last() const { return ahead ? ahead->last : position; }

  bool operator==(const AgentProgress&) const = default;
};

// Why batches are missing for good. Stored on disk and sent: never renumber.
enum class GapReason : uint8_t {
  kSpoolFull = 1,  // the spool was full and dropped its oldest batches
  kForgotten = 2,  // the server acknowledged them long ago and lost them since; the agent no longer has them
  kDamaged = 3,    // the spool's checksums were wrong
  kEvicted = 4,    // the server had forgotten the agent and cannot know whether it has the batches
  kCloned = 5,     // another agent used the same id: the server may or may not have the batches
  kCopied = 6,     // the spool turned out to be a copy; these are its unsent batches
};

}  // namespace statmill
