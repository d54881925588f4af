// The axes of a chart: round numbers, and round local times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "tools/statmill/chart/units.h"

namespace statmill {

struct ValueTick {
  double value = 0;
  std::string label;
};

struct ValueAxis {
  double low = 0;
  double high = 1;
  std::vector<ValueTick> ticks;  // from low to high, including both ends
};

// Returns an axis for values from `low` to `high`, with at most `ticks_max` ticks. It begins at zero if the
// values come near it. Requires: finite numbers, low <= high, 2 <= ticks_max.
ValueAxis value_axis(double low, double high, const Unit& unit, int ticks_max);

struct TimeTick {
  int64_t time_s = 0;
  std::string label;
};

// Returns at most `ticks_max` round local times in [from_s, until_s): "14:05", "14:05:10" if less than a
// minute apart, "Nov 23" at midnight, "2026" at the begin of a year.
std::vector<TimeTick> time_ticks(int64_t from_s, int64_t until_s, int ticks_max, const Zone& zone);

// Returns "2026-11-23 14:05:10" in local time.
std::string local_text(int64_t unix_s, const Zone& zone);

}  // namespace statmill
