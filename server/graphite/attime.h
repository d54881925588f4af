// Times as Graphite's clients write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/time_text.h"

namespace statmill::graphite {

// Parses a time and returns unix seconds:
//   1700000000                        unix seconds
//   now, -6h, now-1d+2h, -1mon        relative to `now_s`
//   midnight, noon, teatime, 4pm, 14:30, 9:30am    today in `zone`
//   yesterday, tomorrow, monday       the day; a time of day may be before it: 14:30_yesterday
//   20261120, 11/20/26, nov20         the day, with the time of day before it: 14:30_20261120
//   noon-1d, 20261120+2h              any of them with an offset
// Blanks, commas and underscores are ignored. 12pm is noon, 12am is midnight. A year of two digits is in 1970
// to 2069. Format: https://graphite.readthedocs.io/en/1.1.8/render_api.html#from-until.
// Errors: kInvalid; also for times before 1970 and after the year 9999.
Result<int64_t> parse_attime(std::string_view text, int64_t now_s, const Zone& zone = utc);

// Parses a length of time with a sign and returns seconds: "1h", "-30min", "1d12h", "1mon" (30 days), "1y"
// (365 days). Units are known by how they begin: s, min, h, d, w, mon, y. Errors: kInvalid; also for more
// than 10,000 years.
Result<int64_t> parse_time_offset(std::string_view text);

}  // namespace statmill::graphite
