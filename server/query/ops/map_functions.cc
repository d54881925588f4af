#include "server/query/ops/map_functions.h"

#include <chrono>
#include <cmath>
#include <numbers>

#include "server/query/ops/special_values.h"

namespace statmill {
namespace {

using plan::MapFunction;
using plan::Operator;

// NaN if either is NaN, unlike std::min().
double lesser(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : std::fmin(a, b); }
double greater(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNan : std::fmax(a, b); }

double sign(double value) {
  if (value < 0) return -1;
  return value > 0 ? 1 : value;
}

double round_to(double value, double multiple) {
  const double inverse = 1 / multiple;
  return std::floor(value * inverse + 0.5) / inverse;
}

// A part of a date. NaN for times of no year from -32767 to 32767.
double date_part(MapFunction function, double time_s) {
  namespace chrono = std::chrono;
  constexpr double kSecondsMax = 32767.0 * 365 * 86400;
  if (!(std::abs(time_s) < kSecondsMax)) return kNan;
  const chrono::sys_seconds time{chrono::seconds(static_cast<int64_t>(time_s))};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date{day};
  const int64_t second_of_day = (time - day).count();
  switch (function) {
    case MapFunction::kYear:
      return static_cast<int>(date.year());
    case MapFunction::kMonth:
      return static_cast<unsigned>(date.month());
    case MapFunction::kDayOfMonth:
      return static_cast<unsigned>(date.day());
    case MapFunction::kDayOfWeek:
      return chrono::weekday(day).c_encoding();
    case MapFunction::kDayOfYear:
      return static_cast<double>((day - chrono::sys_days(date.year() / chrono::January / 1)).count() + 1);
    case MapFunction::kDaysInMonth:
      return static_cast<unsigned>(
          chrono::year_month_day_last(date.year(), chrono::month_day_last(date.month())).day());
    case MapFunction::kHour:
      return std::trunc(static_cast<double>(second_of_day) / 3600);
    default:
      return static_cast<double>(second_of_day / 60 % 60);
  }
}

double transcendental(MapFunction function, double value) {
  switch (function) {
    case MapFunction::kExp:
      return std::exp(value);
    case MapFunction::kLn:
      return std::log(value);
    case MapFunction::kLog2:
      return std::log2(value);
    case MapFunction::kLog10:
      return std::log10(value);
    case MapFunction::kSin:
      return std::sin(value);
    case MapFunction::kCos:
      return std::cos(value);
    case MapFunction::kTan:
      return std::tan(value);
    case MapFunction::kAsin:
      return std::asin(value);
    case MapFunction::kAcos:
      return std::acos(value);
    case MapFunction::kAtan:
      return std::atan(value);
    case MapFunction::kSinh:
      return std::sinh(value);
    case MapFunction::kCosh:
      return std::cosh(value);
    case MapFunction::kTanh:
      return std::tanh(value);
    case MapFunction::kAsinh:
      return std::asinh(value);
    case MapFunction::kAcosh:
      return std::acosh(value);
    case MapFunction::kAtanh:
      return std::atanh(value);
    default:
      return date_part(function, value);
  }
}

}  // namespace

std::optional<double> map_value(MapFunction function, double value, std::span<const double> parameters) {
  switch (function) {
    case MapFunction::kNegate:
      return -value;
    case MapFunction::kAbs:
      return std::abs(value);
    case MapFunction::kCeil:
      return std::ceil(value);
    case MapFunction::kFloor:
      return std::floor(value);
    case MapFunction::kRound:
      return round_to(value, parameters.empty() ? 1 : parameters[0]);
    case MapFunction::kSqrt:
      return std::sqrt(value);
    case MapFunction::kSgn:
      return sign(value);
    case MapFunction::kClamp:
      if (parameters[1] < parameters[0]) return std::nullopt;
      return greater(parameters[0], lesser(parameters[1], value));
    case MapFunction::kClampMin:
      return greater(parameters[0], value);
    case MapFunction::kClampMax:
      return lesser(parameters[0], value);
    case MapFunction::kDegrees:
      return value * 180 / std::numbers::pi;
    case MapFunction::kRadians:
      return value * std::numbers::pi / 180;
    default:
      return transcendental(function, value);
  }
}

double arithmetic(Operator op, double left, double right) {
  switch (op) {
    case Operator::kAdd:
      return left + right;
    case Operator::kSub:
      return left - right;
    case Operator::kMul:
      return left * right;
    case Operator::kDiv:
      return left / right;
    case Operator::kMod:
      return std::fmod(left, right);
    case Operator::kPow:
      return std::pow(left, right);
    default:
      return std::atan2(left, right);
  }
}

bool compare(Operator op, double left, double right) {
  switch (op) {
    case Operator::kEqual:
      return left == right;
    case Operator::kNotEqual:
      return left != right;
    case Operator::kLess:
      return left < right;
    case Operator::kLessOrEqual:
      return left <= right;
    case Operator::kGreater:
      return left > right;
    default:
      return left >= right;
  }
}

}  // namespace statmill
