// TickParticipant: what goes into a tick's batch beside its samples, of the same epoch as these.
#pragma once

#include "server/tick/tick_time.h"
#include "storage/store.h"

namespace statmill {

// Called on the tick's thread.
class TickParticipant {
 public:
  virtual ~TickParticipant() = default;
  // Each tick says so first, and so does Ticker::begin(). `in_doubt`: the wall clock has stepped, or differs
  // from the time that has passed (ClockGuard::trouble()).
  virtual void clock_seen(TickTime now, bool in_doubt) = 0;
  // Adds what was noted in the epoch of this parity (Table::Mark), which has ended. `now`: the time that the
  // longest retention goes by, whatever the wall clock says.
  virtual void add_to(int parity, StoreBatch& batch, Timestamp now) = 0;
  // A batch that add_to() was called for is durable.
  virtual void committed(const StoreBatch& batch) = 0;
};

}  // namespace statmill
