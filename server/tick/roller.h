// Roller: the background job of the tiers, one slice per tick: closed chunks of the finest tier become
// buckets of the coarser ones.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "server/tick/clock_guard.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

// Walks closed chunks of the finest tier in (chunk, id) order and makes their coarse buckets, a slice per
// call.
class Roller {
 public:
  struct Options {
    Duration delay = std::chrono::minutes(20);  // after a chunk's end: live samples are flushed by then
    size_t slice_series = 512;                  // series per call, so that a tick stays short
  };
  // Both must outlive it.
  Roller(const Tiers& tiers, const Expiry& expiry, Options options)
      : tiers_(tiers), expiry_(expiry), options_(options) {}

  // Whether there may be something for step() to do.
  bool is_due(RollupPosition from, const ClockGuard& clock) const {
    return tiers_.count() > 1 && from.chunk < first_open(clock);
  }
  // Adds the next slice's fragments and the new position to `batch`. Adds nothing when no chunk is ready.
  Status step(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock, StoreBatch& batch) const;

 private:
  // The first chunk that is not closed yet, by the time that retention goes by: a clock that is ahead for a
  // while must not close the chunks that live samples will go to.
  ChunkNo first_open(const ClockGuard& clock) const;
  Status roll_slice(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock,
                    StoreBatch& batch) const;

  const Tiers& tiers_;
  const Expiry& expiry_;
  const Options options_;
};

}  // namespace statmill
