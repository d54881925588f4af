// AgentPosition: how far an agent's batches have arrived. GapReason: why some batches never arrive.
#pragma once

#include <cstdint>

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
