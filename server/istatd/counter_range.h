// CounterRange: the range and the interval of an answer about a counter, by istatd's rules. Pure arithmetic.
#pragma once

#include <cstdint>

namespace statmill::istatd {

inline constexpr int64_t kDefaultRange_s = 900;
inline constexpr int64_t kTimeMax_s = 253'402'300'799;  // the end of the year 9999

struct CounterRange {
  int64_t start_s = 0;     // a multiple of the interval, as the next one
  int64_t end_s = 0;       // half-open
  int64_t interval_s = 0;  // at least 1
};

// What a request asks for. 0 stands for a time that it does not have, as in istatd.
struct AskedRange {
  int64_t start_s = 0;
  int64_t end_s = 0;
  int64_t samples = 0;  // the most rows that are wanted; 0 or less: no limit
};

// Sets the times that a request does not have: 900 seconds up to `now_s`, or before or after the other time.
// The end is that of the current second at the latest, but not before the start.
AskedRange with_defaults(AskedRange asked, int64_t now_s);

// Widens a range to whole intervals. If it has more of them than are wanted, the interval is the first of
// istatd's list that is a multiple of `slot_s` and makes few enough of them, or the longest one, a day. If
// one row is wanted, there is one, which begins at a multiple of its length. A range whose ends are equal
// becomes the interval that has it. Requires: 0 <= start <= end <= kTimeMax_s, slot_s > 0.
CounterRange counter_range(const AskedRange& asked, int64_t slot_s);

}  // namespace statmill::istatd
