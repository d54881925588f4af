#include "proto/influx/time_unit.h"

#include <array>

#include "proto/line_text.h"

namespace statmill {
namespace {

struct UnitName {
  std::string_view name;
  InfluxUnit unit;
};

constexpr std::array<UnitName, 9> kNames = {{{"n", InfluxUnit::kNanosecond},
                                             {"ns", InfluxUnit::kNanosecond},
                                             {"u", InfluxUnit::kMicrosecond},
                                             {"us", InfluxUnit::kMicrosecond},
                                             {"\xc2\xb5", InfluxUnit::kMicrosecond},  // the micro sign
                                             {"ms", InfluxUnit::kMillisecond},
                                             {"s", InfluxUnit::kSecond},
                                             {"m", InfluxUnit::kMinute},
                                             {"h", InfluxUnit::kHour}}};

int64_t divided_down(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

Verdict<Refusal> multiply(int64_t value, int64_t factor, int64_t& product) {
  return accept_if(!__builtin_mul_overflow(value, factor, &product), Refusal::kBadTime);
}

}  // namespace

std::optional<InfluxUnit> parse_influx_unit(std::string_view text) {
  for (const auto& [name, unit] : kNames) {
    if (text == name) return unit;
  }
  return std::nullopt;
}

Verdict<Refusal> read_influx_time(std::string_view text, InfluxUnit unit, int64_t& time_s) {
  int64_t value = 0;
  if (parse_integer(text, value).is_refused()) return Refusal::kBadTime;
  switch (unit) {
    case InfluxUnit::kNanosecond:
      time_s = divided_down(value, 1'000'000'000);
      break;
    case InfluxUnit::kMicrosecond:
      time_s = divided_down(value, 1'000'000);
      break;
    case InfluxUnit::kMillisecond:
      time_s = divided_down(value, 1000);
      break;
    case InfluxUnit::kSecond:
      time_s = value;
      break;
    case InfluxUnit::kMinute:
      return multiply(value, 60, time_s);
    case InfluxUnit::kHour:
      return multiply(value, 3600, time_s);
  }
  return kAccepted;
}

}  // namespace statmill
