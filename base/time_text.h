// Points in time as people write them in options, URLs and documents.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// How far a time zone is east of UTC at some time, and its name then, such as "CET".
struct ZoneOffset {
  int32_t east_s = 0;
  std::string name = "UTC";
};
using Zone = std::function<ZoneOffset(int64_t unix_s)>;

inline ZoneOffset utc(int64_t /*unix_s*/) { return {}; }

// Parses a point in time and returns unix seconds, rounded down:
//   1700000000, 1700000000.5   unix seconds; integers above the year 9999 are milliseconds
//   now, -6h, now-1d+2h        relative to `now`
//   14:30, 14:30:05            today in `zone`
//   today, yesterday           their begin; a time of day may follow, as in "yesterday 14:30"
//   2026-11-20                 its begin; a time of day may follow after a blank or T (ISO 8601)
// A zone may end a text with a time of day: Z, +02, +0200 or +02:00; without one the time is in `zone`. A
// local time that a change of the zone's offset skips or repeats is one of the two that are meant.
// Error: kInvalid, also for times after the year 9999.
Result<int64_t> parse_time(std::string_view text, Timestamp now, const Zone& zone = utc);

// Returns "2026-11-20T19:03:20Z", for programs.
std::string iso_time(int64_t unix_s);

// Returns whether a valid text moves with the clock by itself: "now", "-6h". Others, also "yesterday", mean
// the same unix time until midnight.
bool is_relative_time(std::string_view text);

}  // namespace statmill
