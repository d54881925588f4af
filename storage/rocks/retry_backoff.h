// RetryBackoff: limits how often something costly that keeps failing is tried again. It counts calls, since
// nothing here reads a clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace statmill {

// The pause between two attempts doubles from 1 call to kPauseMax; kSuccessesToReset successful calls in a
// row reset it.
class RetryBackoff {
 public:
  static constexpr uint32_t kPauseMax = 16;  // at 4 calls per second: an attempt every 4 s
  static constexpr uint32_t kSuccessesToReset = 256;

  // Returns whether this call may try; if not, the call counts towards the pause.
  bool is_due() {
    if (waiting_ == 0) return true;
    --waiting_;
    return false;
  }
  void record_attempt() {
    pause_ = std::clamp(2 * pause_, 1U, kPauseMax);
    waiting_ = pause_;
    successes_ = 0;
  }
  // Records a call that succeeded without an attempt.
  void record_success() {
    if (++successes_ >= kSuccessesToReset) pause_ = waiting_ = 0;
  }

 private:
  uint32_t pause_ = 0;
  uint32_t waiting_ = 0;
  uint32_t successes_ = 0;
};

}  // namespace statmill
