// How far the batches of an agent have come, and why some never will.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace statmill {

// How far an agent's batches have come: all up to `seq` of numbering `epoch`, which hold `lines` lines; the
// last of them was made at `time`. Batches of an epoch are numbered from 1 without a gap.
struct AgentPosition {
  uint32_t epoch = 0;
  uint64_t seq = 0;
  uint64_t lines = 0;
  Timestamp time{};

  bool operator==(const AgentPosition&) const = default;
};

// Why batches are missing for good. Stored on disk and sent: never renumber.
enum class GapReason : uint8_t {
  kSpoolFull = 1,  // dropped as the oldest, over the limit of the spool
  kForgotten = 2,  // acknowledged long ago, and no longer kept, by a server that has lost it
  kDamaged = 3,    // the spool's bytes failed their check
  kEvicted = 4,    // the server had forgotten the agent, and cannot know whether it has the batches
  kCloned = 5,     // another agent used the same id: the batches may be in, or not
  kCopied = 6,     // unsent batches of a spool that was found to be a copy
};

}  // namespace statmill
