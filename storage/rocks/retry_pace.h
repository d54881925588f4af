// RetryPace: how often to try something costly that keeps failing, counted in calls: nothing here reads a
// clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace statmill {

// The pause between two tries doubles from 1 call to kPauseMax; kCalmCalls good calls in a row forget it.
class RetryPace {
 public:
  static constexpr uint32_t kPauseMax = 16;  // at 4 calls a second: a try every 4 s
  static constexpr uint32_t kCalmCalls = 256;

  // Whether this call may try. False: it is one of the pause.
  bool is_due() {
    if (waiting_ == 0) return true;
    --waiting_;
    return false;
  }
  void tried() {
    pause_ = std::clamp(2 * pause_, 1U, kPauseMax);
    waiting_ = pause_;
    calm_ = 0;
  }
  // A call that was good without a try.
  void went_well() {
    if (++calm_ >= kCalmCalls) pause_ = waiting_ = 0;
  }

 private:
  uint32_t pause_ = 0;
  uint32_t waiting_ = 0;
  uint32_t calm_ = 0;
};

}  // namespace statmill
