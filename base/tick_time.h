// TickTime: the readings of all clocks at one instant.
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
