// TickParticipant: adds its own rows to the batch of each tick, for the same epoch as the samples in it.
#pragma once

#include "base/tick_time.h"
#include "storage/store.h"

namespace statmill {

// All functions are called on the tick thread.
class TickParticipant {
 public:
  virtual ~TickParticipant() = default;
  // Called by Ticker::begin() and first in each tick. `in_doubt` is true if the wall clock differs from the
  // time that has passed (ClockGuard::trouble()).
  virtual void clock_seen(TickTime now, bool in_doubt) = 0;
  // Adds to `batch` what was recorded in the epoch of this parity (Table::Mark), which has ended. `now` is
  // the time that the longest retention uses (ClockGuard::now_s).
  virtual void add_to(int parity, StoreBatch& batch, Timestamp now) = 0;
  // Called when a batch that add_to() has seen is durable.
  virtual void committed(const StoreBatch& batch) = 0;
};

}  // namespace statmill
