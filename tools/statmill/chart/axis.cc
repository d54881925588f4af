#include "tools/statmill/chart/axis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace statmill {
namespace {

// How far a value may lie beyond the last tick, in steps: less than a dot.
constexpr double kSlack = 0.01;

// A smaller range has no steps: they would be subnormal or zero.
constexpr double kLeastRange = 1e-300;

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86400;

// Returns 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= least * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

// Moves the ends apart where a chart needs room, and to zero if that is near.
void widen(double& low, double& high) {
  if (low >= 0 && (low <= 0.6 * high || high - low <= 1e-9 * high)) low = 0;
  if (high <= 0 && (high >= 0.6 * low || high - low <= -1e-9 * low)) high = 0;
  if (high - low < kLeastRange) high = low + 1;
}

struct LocalTime {
  std::chrono::year_month_day date;
  int64_t second = 0;  // since midnight
};

LocalTime local_time(int64_t local_s) {
  const std::chrono::sys_seconds time{std::chrono::seconds(local_s)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {day, (time - day).count()};
}

template <class... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  std::array<char, 80> text{};
  const int size = std::snprintf(text.data(), text.size(), format, numbers...);
  return {text.data(), static_cast<size_t>(size)};
}

std::string tick_label(int64_t local_s, int64_t step_s) {
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto [date, second] = local_time(local_s);
  if (second == 0) {
    const unsigned month = unsigned{date.month()};
    if (step_s > 180 * kDay) return std::to_string(int{date.year()});
    return printed("%s %u", kMonths.at(month - 1), unsigned{date.day()});
  }
  const int hour = static_cast<int>(second / kHour);
  const int minute = static_cast<int>(second / kMinute % 60);
  if (step_s >= kMinute) return printed("%02d:%02d", hour, minute);
  return printed("%02d:%02d:%02d", hour, minute, static_cast<int>(second % 60));
}

// Returns the length between ticks: a part of a minute, an hour or a day, or whole days.
int64_t tick_step(int64_t range_s, int ticks_max) {
  constexpr std::array<int64_t, 21> kSteps = {1,        2,           5,           10,        15,         30,
                                              kMinute,  2 * kMinute, 5 * kMinute, 600,       900,        1800,
                                              kHour,    2 * kHour,   3 * kHour,   6 * kHour, 12 * kHour, kDay,
                                              2 * kDay, 7 * kDay,    14 * kDay};
  for (const int64_t step : kSteps) {
    if (range_s / step < ticks_max) return step;
  }
  int64_t step = 28 * kDay;
  while (range_s / step >= ticks_max) step *= 2;
  return step;
}

}  // namespace

ValueAxis value_axis(double low, double high, const Unit& unit, int ticks_max) {
  widen(low, high);
  const Scale scale = scale_of(std::max(std::fabs(low), std::fabs(high)), unit);
  double from = low * scale.factor;
  double to = high * scale.factor;
  double step = round_step(to / (ticks_max - 1) - from / (ticks_max - 1));
  while (std::ceil(to / step - kSlack) - std::floor(from / step + kSlack) > ticks_max - 1)
    step = round_step(step * 1.5);
  const double first = std::floor(from / step + kSlack);
  const double last = std::max(first + 1, std::ceil(to / step - kSlack));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  ValueAxis axis{first * step / scale.factor, last * step / scale.factor, {}};
  for (double k = first; k <= last; ++k) {
    const bool is_zero = k == 0;
    axis.ticks.push_back({k * step / scale.factor,
                          (is_zero ? std::string("0") : fixed_text(k * step, decimals)) + scale.suffix});
  }
  return axis;
}

std::vector<TimeTick> time_ticks(int64_t from_s, int64_t until_s, int ticks_max, const Zone& zone) {
  std::vector<TimeTick> out;
  if (until_s <= from_s || ticks_max < 1) return out;
  const int64_t step_s = tick_step(until_s - from_s, ticks_max);
  // Candidates are round in local time with the offset at their own time, so after a change of the offset
  // they are round again.
  const int64_t least_s = std::min<int64_t>(step_s, kHour);
  int64_t time_s = from_s;
  while (time_s < until_s && out.size() < static_cast<size_t>(ticks_max)) {
    const int64_t local_s = time_s + zone(time_s).east_s;
    const int64_t above = ((local_s % step_s) + step_s) % step_s;
    if (above == 0) {
      out.push_back({time_s, tick_label(local_s, step_s)});
      time_s += least_s;
    } else {
      time_s += std::min(step_s - above, std::max<int64_t>(least_s - local_s % least_s, 1));
    }
  }
  return out;
}

std::string local_text(int64_t unix_s, const Zone& zone) {
  const auto [date, second] = local_time(unix_s + zone(unix_s).east_s);
  return printed("%04d-%02u-%02u %02d:%02d:%02d", int{date.year()}, unsigned{date.month()},
                 unsigned{date.day()}, static_cast<int>(second / kHour),
                 static_cast<int>(second / kMinute % 60), static_cast<int>(second % 60));
}

}  // namespace statmill
