#include "server/graphite/attime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "base/number_text.h"
#include "base/text.h"
#include "server/graphite/time_zone.h"
#include "server/http/ignoring_case.h"

namespace statmill::graphite {
namespace {

constexpr int64_t kDay_s = 86'400;
constexpr int64_t kTimeMax_s = 253'402'300'799;  // the end of the year 9999

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool are_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

Error not_a_time(std::string_view text) {
  return {ErrorCode::kInvalid, "\"" + visible_text(text) + "\" is no time"};
}
Error not_an_offset(std::string_view text) {
  return {ErrorCode::kInvalid, "\"" + visible_text(text) + "\" is no length of time, such as 1h or -30min"};
}

std::optional<int64_t> unit_seconds(std::string_view unit) {
  if (unit.starts_with("s")) return 1;
  if (unit.starts_with("min")) return 60;
  if (unit.starts_with("h")) return 3600;
  if (unit.starts_with("d")) return kDay_s;
  if (unit.starts_with("w")) return 7 * kDay_s;
  if (unit.starts_with("mon")) return 30 * kDay_s;
  if (unit.starts_with("y")) return 365 * kDay_s;
  return std::nullopt;
}

std::string normalized(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '_' && c != ',' && c != ' ') out += lower(c);
  }
  return out;
}

// A day as the local time of its begin, which counts seconds as if it were in UTC.
std::optional<int64_t> local_day(int year, int month, int day) {
  if (month > 12 || day > 31) return std::nullopt;  // chrono keeps only eight bits of either
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(std::max(month, 0))),
                                         std::chrono::day(static_cast<unsigned>(std::max(day, 0)))};
  if (!date.ok() || year < 1970) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay_s;
}

std::optional<int> number_of(std::string_view text) {
  return are_digits(text) ? parse_as<int>(text) : std::nullopt;
}

// A time of day that begins a reference.
struct TimeOfDay {
  int64_t seconds = 0;
  size_t size = 0;  // bytes of the text; 0: there is none
};

// 4pm, 14:30, 9:30am.
std::optional<TimeOfDay> clock_time(std::string_view ref) {
  size_t at = 0;
  while (at < ref.size() && is_digit(ref[at])) ++at;
  if (at == 0 || at > 2) return TimeOfDay{};
  int64_t hour = *number_of(ref.substr(0, at));
  int64_t minute = 0;
  bool is_clock = false;
  if (at + 2 < ref.size() && ref[at] == ':') {
    const auto two = number_of(ref.substr(at + 1, 2));
    if (!two || *two > 59) return std::nullopt;
    minute = *two;
    at += 3;
    is_clock = true;
  }
  const std::string_view half = ref.substr(at, 2);
  if (half == "am" || half == "pm") {
    if (hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (half == "pm" ? 12 : 0);
    at += 2;
    is_clock = true;
  }
  if (!is_clock) return TimeOfDay{};
  if (hour > 23) return std::nullopt;
  return TimeOfDay{hour * 3600 + minute * 60, at};
}

std::optional<TimeOfDay> time_of_day(std::string_view ref) {
  if (ref.starts_with("noon")) return TimeOfDay{12 * 3600, 4};
  if (ref.starts_with("midnight")) return TimeOfDay{0, 8};
  if (ref.starts_with("teatime")) return TimeOfDay{16 * 3600, 7};
  return clock_time(ref);
}

template <size_t Count>
std::optional<int> index_of(const std::array<std::string_view, Count>& words, std::string_view word) {
  const auto at = std::ranges::find(words, word);
  return at == words.end() ? std::nullopt : std::optional(static_cast<int>(at - words.begin()));
}

// 11/20/26 or 11/20/2026.
std::optional<int64_t> slashed_day(std::string_view ref) {
  const auto parts = split(ref, '/');
  if (parts.size() != 3 || (parts[2].size() != 2 && parts[2].size() != 4)) return std::nullopt;
  const auto month = number_of(parts[0]);
  const auto day = number_of(parts[1]);
  auto year = number_of(parts[2]);
  if (!month || !day || !year) return std::nullopt;
  if (parts[2].size() == 2) *year += *year < 70 ? 2000 : 1900;
  return local_day(*year, *month, *day);
}

// The local time of the begin of a day; `today` is that of the present one.
std::optional<int64_t> day_of(std::string_view ref, int64_t today) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  constexpr std::array<std::string_view, 7> kWeekdays = {"thu", "fri", "sat", "sun", "mon", "tue", "wed"};
  if (ref.empty() || ref == "today") return today;
  if (ref == "yesterday") return today - kDay_s;
  if (ref == "tomorrow") return today + kDay_s;
  if (ref.find('/') != std::string_view::npos) return slashed_day(ref);
  if (ref.size() == 8 && are_digits(ref))
    return local_day(*number_of(ref.substr(0, 4)), *number_of(ref.substr(4, 2)), *number_of(ref.substr(6)));
  const std::string_view word = ref.substr(0, ref.find_first_of("0123456789"));
  if (const auto month = index_of(kMonths, word.substr(0, 3))) {
    const auto day = ref.size() - word.size() > 2 ? std::nullopt : number_of(ref.substr(word.size()));
    const auto days = std::chrono::sys_days(std::chrono::days(today / kDay_s));
    const int year = static_cast<int>(std::chrono::year_month_day(days).year());
    return day ? local_day(year, *month + 1, *day) : std::nullopt;
  }
  const auto weekday = word.size() == ref.size() ? index_of(kWeekdays, word.substr(0, 3)) : std::nullopt;
  if (!weekday) return std::nullopt;
  const int64_t ago = (today / kDay_s % 7 - *weekday + 7) % 7;  // the epoch was a Thursday
  return today - ago * kDay_s;
}

// `ref` has no offset. Returns unix seconds.
std::optional<int64_t> reference_time(std::string_view ref, int64_t now_s, const Zone& zone) {
  if (ref.empty() || ref == "now") return now_s;
  const auto time = time_of_day(ref);
  if (!time) return std::nullopt;
  const int64_t local_now_s = now_s + zone(now_s).east_s;
  const int64_t today = local_now_s - (local_now_s % kDay_s + kDay_s) % kDay_s;
  const auto day = day_of(ref.substr(time->size), today);
  if (!day) return std::nullopt;
  const int64_t local_s = *day + time->seconds;
  return unix_time(local_s, zone);
}

// Eight digits are a date if they can be one.
bool is_date(std::string_view digits) {
  return digits.size() == 8 && *number_of(digits.substr(0, 4)) > 1900 &&
         *number_of(digits.substr(4, 2)) < 13 && *number_of(digits.substr(6)) < 32;
}

}  // namespace

Result<int64_t> parse_time_offset(std::string_view text) {
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty()) return not_an_offset(text);
  int64_t total = 0;
  while (!rest.empty()) {
    const auto letters = static_cast<size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
    const auto amount = parse_as<int64_t>(rest.substr(0, letters));
    rest.remove_prefix(letters);
    const auto end = static_cast<size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin());
    const auto unit = unit_seconds(rest.substr(0, end));
    rest.remove_prefix(end);
    if (!amount || !unit || *amount > kTimeMax_s / *unit) return not_an_offset(text);
    total += *amount * *unit;
    if (total > kTimeMax_s) return not_an_offset(text);
  }
  return is_negative ? -total : total;
}

Result<int64_t> parse_attime(std::string_view text, int64_t now_s, const Zone& zone) {
  const std::string all = normalized(text);
  if (are_digits(all) && !is_date(all)) {
    const auto seconds = parse_as<int64_t>(all);
    if (!seconds || *seconds > kTimeMax_s) return not_a_time(text);
    return *seconds;
  }
  const size_t sign = std::min(all.find_first_of("+-"), all.size());
  const auto reference = reference_time(std::string_view(all).substr(0, sign), now_s, zone);
  if (all.empty() || !reference) return not_a_time(text);
  int64_t time = *reference;
  // "now-1d+2h" has two offsets.
  for (size_t begin = sign; begin < all.size();) {
    const size_t end = std::min(all.find_first_of("+-", begin + 1), all.size());
    const auto offset = parse_time_offset(std::string_view(all).substr(begin, end - begin));
    if (!offset) return not_a_time(text);
    time += *offset;
    if (std::abs(time) > 2 * kTimeMax_s) return not_a_time(text);
    begin = end;
  }
  if (time < 0 || time > kTimeMax_s) return not_a_time(text);
  return time;
}

}  // namespace statmill::graphite
