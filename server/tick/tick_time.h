// TickTime: what all clocks show at one moment.
#pragma once

#include "base/clock.h"

namespace statmill {

struct TickTime {
  Timestamp wall;
  SteadyTime steady;
  SteadyTime boot = steady;  // Clock::boot()

  static TickTime of(const Clock& clock) { return {clock.wall(), clock.steady(), clock.boot()}; }
};

}  // namespace statmill
