#include "base/zone_rule.h"

#include <algorithm>
#include <chrono>

namespace statmill {
namespace {

constexpr int64_t kDay_s = 86'400;
constexpr size_t kNameBytesMin = 3;
constexpr size_t kNameBytesMax = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool is_zone_name(std::string_view text) {
  return text.size() <= kNameBytesMax && text.size() >= kNameBytesMin &&
         std::ranges::all_of(text,
                             [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-'; });
}

// Each function consumes what it reads, or returns nullopt.
class ZoneRule::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  bool consume(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string> consume_name() {
    std::string_view name;
    if (consume('<')) {
      const size_t end = rest_.find('>');
      if (end == std::string_view::npos) return std::nullopt;
      name = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
    } else {
      const auto end = std::ranges::find_if_not(rest_, is_letter);
      name = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
      rest_.remove_prefix(name.size());
    }
    return is_zone_name(name) ? std::optional(std::string(name)) : std::nullopt;
  }

  std::optional<unsigned> consume_number(unsigned min, unsigned max) {
    unsigned value = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && digits < 4 && is_digit(rest_[digits]); ++digits)
      value = value * 10 + static_cast<unsigned>(rest_[digits] - '0');
    rest_.remove_prefix(digits);
    return digits > 0 && value >= min && value <= max ? std::optional(value) : std::nullopt;
  }

  // [+-]hh[:mm[:ss]] as seconds.
  std::optional<int32_t> consume_time(unsigned hours_max) {
    const bool is_negative = consume('-');
    if (!is_negative) consume('+');
    const auto hours = consume_number(0, hours_max);
    if (!hours) return std::nullopt;
    auto seconds = static_cast<int32_t>(*hours * 3600);
    for (const int32_t unit_s : {60, 1}) {
      if (!consume(':')) break;
      const auto part = consume_number(0, 59);
      if (!part) return std::nullopt;
      seconds += static_cast<int32_t>(*part) * unit_s;
    }
    return is_negative ? -seconds : seconds;
  }

  std::optional<Date> consume_date() {
    Date out;
    if (consume('M')) {
      const auto month = consume_number(1, 12);
      const auto week = month && consume('.') ? consume_number(1, 5) : std::nullopt;
      const auto day = week && consume('.') ? consume_number(0, 6) : std::nullopt;
      if (!day) return std::nullopt;
      out = {Date::Kind::kWeekday, *month, *week, *day};
    } else {
      const bool is_without_leap = consume('J');
      const auto day = consume_number(is_without_leap ? 1 : 0, 365);
      if (!day) return std::nullopt;
      out.kind = is_without_leap ? Date::Kind::kDayWithoutLeap : Date::Kind::kDayOfYear;
      out.day = *day;
    }
    if (!consume('/')) return out;
    const auto time_s = consume_time(167);
    if (!time_s) return std::nullopt;
    out.time_s = *time_s;
    return out;
  }

 private:
  std::string_view rest_;
};

std::optional<ZoneRule> ZoneRule::parse(std::string_view text) {
  Parser in(text);
  ZoneRule out;
  const auto name = in.consume_name();
  const auto west_s = name ? in.consume_time(24) : std::nullopt;
  if (!west_s) return std::nullopt;
  out.standard_ = {-*west_s, *name};
  if (in.is_at_end()) return out;
  const auto summer = in.consume_name();
  if (!summer) return std::nullopt;
  out.summer_ = {out.standard_.east_s + 3600, *summer};
  if (!in.consume(',')) {
    const auto summer_west_s = in.consume_time(24);
    if (!summer_west_s || !in.consume(',')) return std::nullopt;
    out.summer_->east_s = -*summer_west_s;
  }
  const auto begin = in.consume_date();
  const auto end = begin && in.consume(',') ? in.consume_date() : std::nullopt;
  if (!end || !in.is_at_end()) return std::nullopt;
  out.begin_ = *begin;
  out.end_ = *end;
  return out;
}

// The time by the clock, which counts seconds as if it were in UTC.
int64_t ZoneRule::local_time(const Date& date, int year) {
  namespace chrono = std::chrono;
  const chrono::year in(year);
  const chrono::sys_days first = in / chrono::January / 1;
  chrono::sys_days day = first;
  switch (date.kind) {
    case Date::Kind::kDayOfYear:
      day += chrono::days(date.day);
      break;
    case Date::Kind::kDayWithoutLeap:
      day += chrono::days(date.day - 1 + (in.is_leap() && date.day > 59 ? 1 : 0));
      break;
    case Date::Kind::kWeekday: {
      const chrono::month month(date.month);
      const chrono::weekday weekday(date.day);
      day = date.week == 5 ? chrono::sys_days(in / month / weekday[chrono::last])
                           : chrono::sys_days(in / month / weekday[date.week]);
      break;
    }
  }
  return day.time_since_epoch().count() * kDay_s + date.time_s;
}

ZoneOffset ZoneRule::at(int64_t unix_s) const {
  if (!summer_) return standard_;
  const auto local = std::chrono::sys_seconds(std::chrono::seconds(unix_s + standard_.east_s));
  const auto year =
      static_cast<int>(std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(local)).year());
  const int64_t begin_s = local_time(begin_, year) - standard_.east_s;
  const int64_t end_s = local_time(end_, year) - summer_->east_s;
  const bool is_summer =
      begin_s < end_s ? begin_s <= unix_s && unix_s < end_s : !(end_s <= unix_s && unix_s < begin_s);
  return is_summer ? *summer_ : standard_;
}

}  // namespace statmill
