// ManualClock: a clock that advances only when the test says so.
#pragma once

#include "base/clock.h"

namespace statmill {

class ManualClock final : public Clock {
 public:
  Timestamp wall() const override { return Timestamp(Duration(0)); }
  SteadyTime steady() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  SteadyTime now_{std::chrono::seconds(1000)};
};

}  // namespace statmill
