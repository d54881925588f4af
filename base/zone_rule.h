// ZoneRule: the offset from UTC by a rule for each year, as the POSIX variable TZ has it:
// CET-1CEST,M3.5.0,M10.5.0/3
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time_text.h"

namespace statmill {

// Returns whether it is a name of an offset, such as "CET" or "+03".
bool is_zone_name(std::string_view text);

// Immutable.
class ZoneRule {
 public:
  // Parses the form of RFC 8536, 3.3.1: NAME OFFSET, and if there is daylight saving time NAME OFFSET, and
  // from when to when. Names are of letters, or others in <>; the times of changes are from -167 to 167
  // hours. Returns nullopt for anything else; also for two names without times.
  static std::optional<ZoneRule> parse(std::string_view text);

  // Requires: a time in the years 1 to 9999.
  ZoneOffset at(int64_t unix_s) const;

 private:
  // A time of each year.
  struct Date {
    enum class Kind : uint8_t {
      kDayOfYear,       // 0 to 365, with 29 February
      kDayWithoutLeap,  // 1 to 365, of which 29 February is none
      kWeekday,         // weekday `day` (0 is Sunday) of week 1 to 5 of a month; 5 is the last one
    };
    Kind kind = Kind::kWeekday;
    unsigned month = 1;
    unsigned week = 1;
    unsigned day = 0;
    int32_t time_s = 7200;  // after midnight, by the clock before the change
  };
  class Parser;

  static int64_t local_time(const Date& date, int year);

  ZoneOffset standard_;
  std::optional<ZoneOffset> summer_;
  Date begin_;  // of summer_
  Date end_;
};

}  // namespace statmill
