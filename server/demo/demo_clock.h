// StoppedClock: a wall clock that always shows the same time, so that pictures of the demo are alike.
#pragma once

#include "base/clock.h"

namespace statmill {

// Thread-safe. Intervals pass as usual: only the time that users see does not.
class StoppedClock final : public Clock {
 public:
  explicit StoppedClock(Timestamp now) : now_(now), boot_(system_.boot()) {}

  Timestamp wall() const override { return now_; }
  SteadyTime steady() const override { return system_.steady(); }
  // Does not advance either: otherwise the wall clock would seem to be slow (server/tick/clock_guard.h).
  SteadyTime boot() const override { return boot_; }

 private:
  const SystemClock system_;
  const Timestamp now_;
  const SteadyTime boot_;
};

}  // namespace statmill
