#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <numbers>

#include "tests/query/naive/functions.h"

namespace statmill::naive {
namespace {

using Function = double (*)(double);

double sign_of(double v) { return v > 0 ? 1 : v < 0 ? -1 : v; }
double degrees(double v) { return v * 180 / std::numbers::pi; }
double radians(double v) { return v * std::numbers::pi / 180; }

Function plain_function(std::string_view name) {
  static const std::map<std::string_view, Function> kFunctions = {
      {"abs", [](double v) { return std::fabs(v); }},
      {"acos", [](double v) { return std::acos(v); }},
      {"acosh", [](double v) { return std::acosh(v); }},
      {"asin", [](double v) { return std::asin(v); }},
      {"asinh", [](double v) { return std::asinh(v); }},
      {"atan", [](double v) { return std::atan(v); }},
      {"atanh", [](double v) { return std::atanh(v); }},
      {"ceil", [](double v) { return std::ceil(v); }},
      {"cos", [](double v) { return std::cos(v); }},
      {"cosh", [](double v) { return std::cosh(v); }},
      {"deg", degrees},
      {"exp", [](double v) { return std::exp(v); }},
      {"floor", [](double v) { return std::floor(v); }},
      {"ln", [](double v) { return std::log(v); }},
      {"log10", [](double v) { return std::log10(v); }},
      {"log2", [](double v) { return std::log2(v); }},
      {"rad", radians},
      {"sgn", sign_of},
      {"sin", [](double v) { return std::sin(v); }},
      {"sinh", [](double v) { return std::sinh(v); }},
      {"sqrt", [](double v) { return std::sqrt(v); }},
      {"tan", [](double v) { return std::tan(v); }},
      {"tanh", [](double v) { return std::tanh(v); }}};
  const auto found = kFunctions.find(name);
  return found == kFunctions.end() ? nullptr : found->second;
}

std::optional<double> date_function(std::string_view name, double value) {
  using namespace std::chrono;
  // Outside of these years there is no calendar to agree with.
  const auto seconds_since = seconds(static_cast<int64_t>(std::isnan(value) ? 0 : value));
  const sys_days day = floor<days>(sys_seconds(seconds_since));
  const year_month_day date(day);
  const hh_mm_ss clock(sys_seconds(seconds_since) - day);
  const auto number = [](auto part) { return static_cast<double>(static_cast<unsigned>(part)); };
  if (name == "year") return static_cast<double>(static_cast<int>(date.year()));
  if (name == "month") return number(date.month());
  if (name == "day_of_month") return number(date.day());
  if (name == "day_of_week") return static_cast<double>(weekday(day).c_encoding());
  if (name == "day_of_year")
    return static_cast<double>((day - sys_days(date.year() / January / 1)).count() + 1);
  if (name == "days_in_month") return number(year_month_day_last(date.year() / date.month() / last).day());
  if (name == "hour") return static_cast<double>(clock.hours().count());
  if (name == "minute") return static_cast<double>(clock.minutes().count());
  return std::nullopt;
}

}  // namespace

std::optional<double> number_function(const FunctionCall& call, double value) {
  if (const Function function = plain_function(call.name)) return function(value);
  const auto& n = call.numbers;
  if (call.name == "round") {
    const double inverse = 1 / (n.empty() ? 1 : n[0]);
    return std::floor(value * inverse + 0.5) / inverse;
  }
  const bool is_clamp = call.name == "clamp";
  if (is_clamp || call.name == "clamp_min" || call.name == "clamp_max") {
    for (const double bound : n) {
      if (std::isnan(bound) || std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    }
    if (is_clamp) return std::max(n[0], std::min(n[1], value));
    return call.name == "clamp_min" ? std::max(n[0], value) : std::min(n[0], value);
  }
  return date_function(call.name, value);
}

}  // namespace statmill::naive
