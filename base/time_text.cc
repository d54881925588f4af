#include "base/time_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "base/number_text.h"
#include "base/text.h"

namespace statmill {
namespace {

constexpr int64_t kTimeMax_s = 253'402'300'799;  // the end of the year 9999
constexpr int64_t kDay_s = 86'400;

// Reads a text from its begin. Each function consumes what it returns, and nothing if that is not there.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // A number of `least` to `most` digits.
  std::optional<int> digits(size_t least, size_t most) {
    const size_t found = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (found < least || found > most) return std::nullopt;
    const auto number = parse_as<int>(rest_.substr(0, found));
    rest_.remove_prefix(found);
    return number;
  }
  void skip_digits() { rest_.remove_prefix(std::min(rest_.find_first_not_of("0123456789"), rest_.size())); }

 private:
  std::string_view rest_;
};

// Reads "14:30", "14:30:05" or "14:30:05.25" as seconds of the day.
std::optional<int64_t> read_clock(TimeReader& in) {
  const auto hour = in.digits(1, 2);
  if (!hour || *hour > 23 || !in.skip(":")) return std::nullopt;
  const auto minute = in.digits(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const int64_t whole = *hour * 3600 + *minute * 60;
  if (!in.skip(":")) return whole;
  const auto second = in.digits(2, 2);
  if (!second || *second > 59) return std::nullopt;
  if (in.skip(".")) in.skip_digits();
  return whole + *second;
}

// Reads the rest of a text as a zone. Returns how far it is east of UTC; no value if it is none.
std::optional<int64_t> read_offset(TimeReader in) {
  if (in.skip("Z") || in.skip("z")) return in.is_at_end() ? std::optional<int64_t>(0) : std::nullopt;
  const bool is_west = in.rest().starts_with('-');
  if (!in.skip("-") && !in.skip("+")) return std::nullopt;
  const auto number = in.digits(2, 4);
  if (!number) return std::nullopt;
  int64_t hours = *number;
  int64_t minutes = 0;
  if (in.skip(":")) {
    const auto after = in.digits(2, 2);
    if (!after) return std::nullopt;
    minutes = *after;
  } else if (*number > 99) {
    hours = *number / 100;
    minutes = *number % 100;
  }
  if (!in.is_at_end() || hours > 23 || minutes > 59) return std::nullopt;
  const int64_t east_s = hours * 3600 + minutes * 60;
  return is_west ? -east_s : east_s;
}

// The unix time at which the clocks of the zone show a time, which counts seconds as if it were in UTC.
int64_t from_local(int64_t local_s, const Zone& zone) {
  const int64_t near_s = local_s - zone(local_s).east_s;
  return local_s - zone(near_s).east_s;
}

// The begin of the day that it is in the zone, as a local time.
int64_t local_midnight(int64_t unix_s, const Zone& zone) {
  const int64_t local_s = unix_s + zone(unix_s).east_s;
  return local_s - ((local_s % kDay_s) + kDay_s) % kDay_s;
}

// Reads "today", "yesterday", a date, or nothing before a time of day, as the local time of its begin.
std::optional<int64_t> read_day(TimeReader& in, int64_t now_s, const Zone& zone) {
  if (in.skip("today")) return local_midnight(now_s, zone);
  if (in.skip("yesterday")) return local_midnight(now_s, zone) - kDay_s;
  const auto year = in.digits(4, 4);
  if (!year) return local_midnight(now_s, zone);
  if (!in.skip("-")) return std::nullopt;
  const auto month = in.digits(1, 2);
  if (!month || !in.skip("-")) return std::nullopt;
  const auto day = in.digits(1, 2);
  if (!day || *year < 1970) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay_s;
}

// A day, a time of day, or both.
std::optional<int64_t> parse_date(std::string_view text, int64_t now_s, const Zone& zone) {
  TimeReader in(text);
  const auto day_s = read_day(in, now_s, zone);
  if (!day_s) return std::nullopt;
  const bool has_day = in.rest().size() < text.size();
  if (has_day && in.is_at_end()) return from_local(*day_s, zone);
  if (has_day && !in.skip(" ") && !in.skip("T") && !in.skip("t")) return std::nullopt;
  const auto clock_s = read_clock(in);
  if (!clock_s) return std::nullopt;
  const int64_t local_s = *day_s + *clock_s;
  if (in.is_at_end()) return from_local(local_s, zone);
  in.skip(" ");
  const auto east_s = read_offset(in);
  if (!east_s) return std::nullopt;
  // Today is today in the zone that the text names.
  if (!has_day) {
    const Zone named = [&](int64_t) { return ZoneOffset{static_cast<int32_t>(*east_s), {}}; };
    return local_midnight(now_s, named) + *clock_s - *east_s;
  }
  return local_s - *east_s;
}

// "now" and durations with signs.
std::optional<int64_t> parse_relative(std::string_view text, Timestamp now) {
  if (text.starts_with("now")) text.remove_prefix(3);
  while (!text.empty()) {
    const bool is_back = text.front() == '-';
    if (!is_back && text.front() != '+') return std::nullopt;
    text.remove_prefix(1);
    const std::string_view one = text.substr(0, text.find_first_of("+-"));
    const Result<Duration> duration = parse_duration(one);
    if (!duration) return std::nullopt;
    now += is_back ? -*duration : *duration;
    if (std::abs(unix_seconds(now)) > kTimeMax_s) return std::nullopt;  // also before a long sum overflows
    text.remove_prefix(one.size());
  }
  return unix_seconds(now);
}

std::optional<int64_t> parse_unix(std::string_view text) {
  const size_t point = text.find('.');
  const auto number = parse_as<int64_t>(text.substr(0, point));
  if (!number || *number < 0) return std::nullopt;
  if (point == std::string_view::npos) return *number > kTimeMax_s ? *number / 1000 : *number;
  const std::string_view fraction = text.substr(point + 1);
  const bool is_fraction =
      !fraction.empty() && fraction.find_first_not_of("0123456789") == std::string_view::npos;
  return is_fraction ? number : std::nullopt;
}

}  // namespace

bool is_relative_time(std::string_view text) { return text.starts_with("now") || text.starts_with('-'); }

Result<int64_t> parse_time(std::string_view text, Timestamp now, const Zone& zone) {
  std::optional<int64_t> time_s = is_relative_time(text) ? parse_relative(text, now) : parse_unix(text);
  if (!time_s && !is_relative_time(text)) time_s = parse_date(text, unix_seconds(now), zone);
  if (time_s && *time_s <= kTimeMax_s) return *time_s;
  return Error{ErrorCode::kInvalid,
               "time \"" + std::string(text) +
                   "\": expected unix seconds, now, -6h, 14:30, yesterday or 2026-11-20 14:30"};
}

std::string iso_time(int64_t unix_s) {
  const std::time_t seconds = unix_s;
  tm parts{};
  std::array<char, 64> text{};
  // If a tm cannot hold the year, the result is the number of seconds instead.
  if (::gmtime_r(&seconds, &parts) == nullptr) return std::to_string(unix_s);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace statmill
