#include "server/istatd/counter_range.h"

#include <algorithm>
#include <array>

namespace statmill::istatd {
namespace {

constexpr std::array<int64_t, 18> kIntervals = {10,     20,     30,     60,     120,    300,
                                                600,    900,    1200,   1800,   3600,   7200,
                                                10'800, 14'400, 21'600, 28'800, 43'200, 86'400};

int64_t round_down(int64_t value, int64_t step) { return value - value % step; }
int64_t round_up(int64_t value, int64_t step) { return round_down(value + step - 1, step); }

// The range in whole intervals.
CounterRange widened(const AskedRange& asked, int64_t interval_s) {
  CounterRange range{round_down(asked.start_s, interval_s), round_up(asked.end_s, interval_s), interval_s};
  if (range.start_s == range.end_s) range.end_s += interval_s;
  return range;
}

}  // namespace

AskedRange with_defaults(AskedRange asked, int64_t now_s) {
  if (asked.start_s == 0 && asked.end_s == 0) asked.end_s = now_s;
  if (asked.start_s == 0) asked.start_s = std::max<int64_t>(asked.end_s - kDefaultRange_s, 0);
  if (asked.end_s == 0) asked.end_s = asked.start_s + kDefaultRange_s;
  if (asked.end_s >= now_s) asked.end_s = now_s + 1;
  asked.end_s = std::max(asked.end_s, asked.start_s);
  return asked;
}

CounterRange counter_range(const AskedRange& asked, int64_t slot_s) {
  const CounterRange whole = widened(asked, slot_s);
  if (asked.samples == 1) {
    const int64_t length_s = whole.end_s - whole.start_s;
    CounterRange one = widened({whole.start_s, whole.end_s}, length_s);
    one.interval_s = one.end_s - one.start_s;
    return one;
  }
  if (asked.samples <= 0 || (whole.end_s - whole.start_s) / slot_s <= asked.samples) return whole;
  int64_t interval_s = slot_s;
  for (const int64_t longer_s : kIntervals) {
    if (longer_s <= slot_s || longer_s % slot_s != 0) continue;
    interval_s = longer_s;
    if ((whole.end_s - whole.start_s) / interval_s <= asked.samples) break;
  }
  return widened(asked, interval_s);
}

}  // namespace statmill::istatd
