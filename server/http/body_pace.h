// BodyPace: says when the body of a request arrives too slowly. It uses no timer and no socket.
//
// The time of a body is cut into steps. The first step may bring nothing, each later one brings a minimum,
// and all of them have an end. So a client cannot hold a connection and the memory of a body by sending a
// byte now and then.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace statmill {

struct BodyPaceLimits {
  Duration whole;     // for the whole body
  Duration step;      // the length of each step
  size_t step_bytes;  // each step but the first must bring so many
};

// Thread-compatible.
class BodyPace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  BodyPace(BodyPaceLimits limits, TimePoint now)
      : limits_(limits), end_(now + limits.whole), next_(std::min(end_, now + limits.step)) {}

  // When the current step ends.
  TimePoint next_check() const { return next_; }

  // Ends the step and begins the next one. `bytes` of the body have arrived so far. Returns false if they are
  // too few or the time of the body is over.
  bool is_kept(TimePoint now, size_t bytes) {
    if (now >= end_ || bytes < bytes_due_) return false;
    bytes_due_ = bytes + limits_.step_bytes;
    next_ = std::min(end_, now + limits_.step);
    return true;
  }

 private:
  BodyPaceLimits limits_;
  TimePoint end_;
  TimePoint next_;
  size_t bytes_due_ = 0;  // at the end of the current step
};

}  // namespace statmill
