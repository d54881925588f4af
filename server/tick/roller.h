// Roller: rolls closed chunks of the finest tier up to buckets of the coarser tiers, one slice per tick.
#pragma once

#include <chrono>

#include "base/clock.h"
#include "server/tick/clock_guard.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

// Visits the closed chunks of the finest tier in the order of (chunk, id). Confined to the tick thread.
class Roller {
 public:
  struct Options {
    Duration delay = std::chrono::minutes(20);  // after a chunk's end; live samples are flushed by then
    size_t slice_series = 512;                  // series per call, which keeps a tick short
  };
  // `tiers` and `expiry` must outlive the roller.
  Roller(const Tiers& tiers, const Expiry& expiry, Options options)
      : tiers_(tiers), expiry_(expiry), options_(options) {}

  // Returns false if step() has nothing to do.
  bool is_due(RollupPosition from, const ClockGuard& clock) const {
    return tiers_.count() > 1 && from.chunk < first_open(clock);
  }
  // Adds the next slice's fragments and the new position to `batch`; adds nothing if no chunk is closed.
  Status step(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock, StoreBatch& batch) const;

 private:
  // Returns the first chunk that is not closed. It uses the ClockGuard's time, because a wall clock that is
  // ahead for a while must not close chunks that live samples will go to.
  ChunkNo first_open(const ClockGuard& clock) const;
  Status roll_slice(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock,
                    StoreBatch& batch) const;

  const Tiers& tiers_;
  const Expiry& expiry_;
  const Options options_;
};

}  // namespace statmill
