// ManualClock: a Clock whose time passes only when a test says so.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace statmill {

// Thread-safe.
class ManualClock final : public Clock {
 public:
  // The default wall time is the begin of a 10 s slot.
  explicit ManualClock(int64_t unix_s = 1'700'000'000,
                       SteadyTime steady = SteadyTime(std::chrono::seconds(1000)))
      : wall_(from_unix_seconds(unix_s)), steady_(steady) {}

  Timestamp wall() const override { return wall_.load(std::memory_order_relaxed); }
  SteadyTime steady() const override { return steady_.load(std::memory_order_relaxed); }
  // Both times pass. Called on one thread.
  void advance(Duration by) {
    wall_.store(wall() + by, std::memory_order_relaxed);
    steady_.store(steady() + by, std::memory_order_relaxed);
  }

 private:
  // The test's thread writes them and all threads read them; they guard no other data.
  std::atomic<Timestamp> wall_;
  std::atomic<SteadyTime> steady_;
};

}  // namespace statmill
