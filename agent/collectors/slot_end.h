// SlotEnd: when a collector is due that is too expensive for each interval. It reads every 10 s, at the end
// of a slot of the server if the agent collects each second: what it reads is then that of the slot.
#pragma once

#include <optional>

#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class SlotEnd {
 public:
  // `clock` must outlive it.
  explicit SlotEnd(const Clock& clock) : clock_(clock) {}

  // Called at each collection. Returns true at the first one, and at one of each slot.
  bool is_due() {
    const Duration::rep slot = (clock_.wall().time_since_epoch() + kBeforeEnd) / kSlot;
    if (slot == slot_) return false;
    slot_ = slot;
    return true;
  }

 private:
  static constexpr Duration kSlot{10'000};
  static constexpr Duration kBeforeEnd{
      1000};  // the usual interval, so that one collection of each slot reads

  const Clock& clock_;
  std::optional<Duration::rep> slot_;  // whose end was read
};

}  // namespace statmill
