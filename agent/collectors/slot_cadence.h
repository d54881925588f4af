// SlotCadence: says when a collector reads that is too expensive for each second: once per slot of 10 s, at
// its end if the agent collects each second. What grew since the reading before is then that of the slot.
#pragma once

#include <optional>

#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class SlotCadence {
 public:
  // Returns true for the first call, and then once per slot.
  bool is_due(Timestamp now) {
    constexpr Duration kSlot{10'000};
    constexpr Duration kBeforeEnd{1000};  // the usual interval, so that one collection of each slot reads
    const Duration::rep slot = (now.time_since_epoch() + kBeforeEnd) / kSlot;
    if (slot == slot_) return false;
    slot_ = slot;
    return true;
  }

 private:
  std::optional<Duration::rep> slot_;  // whose end was read
};

}  // namespace statmill
