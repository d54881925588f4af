#include "tools/statmill/chart/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

namespace statmill {
namespace {

struct Step {
  double size;
  const char* name;
};

constexpr std::array<Step, 6> kNumbers = {
    {{1e15, " P"}, {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
constexpr std::array<Step, 6> kBytes = {
    {{0x1p50, " PiB"}, {0x1p40, " TiB"}, {0x1p30, " GiB"}, {0x1p20, " MiB"}, {0x1p10, " KiB"}, {1, " B"}}};
constexpr std::array<Step, 4> kSeconds = {{{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}};
constexpr std::array<Step, 1> kPercent = {{{1, " %"}}};

std::span<const Step> steps_of(Unit::Kind kind) {
  switch (kind) {
    case Unit::Kind::kPercent:
      return kPercent;
    case Unit::Kind::kBytes:
      return kBytes;
    case Unit::Kind::kSeconds:
      return kSeconds;
    case Unit::Kind::kNumber:
      break;
  }
  return kNumbers;
}

Unit unit_of_values(std::string_view word) {
  if (word == "ns") return {Unit::Kind::kSeconds, 1e-9};
  if (word == "us") return {Unit::Kind::kSeconds, 1e-6};
  if (word == "ms") return {Unit::Kind::kSeconds, 1e-3};
  if (word == "s") return {Unit::Kind::kSeconds, 1};
  if (word == "bytes") return {Unit::Kind::kBytes};
  if (word == "percent") return {Unit::Kind::kPercent};
  return {};
}

}  // namespace

Unit unit_of(std::string_view word, std::string_view kind, std::string_view stat) {
  if (stat == "count") return {};
  Unit unit = unit_of_values(word);
  const bool has_rates = kind == "event" || kind == "counter";
  unit.is_per_s = stat == "rate" || (has_rates && stat != "sum");
  return unit;
}

Scale scale_of(double largest, const Unit& unit) {
  const std::span<const Step> steps = steps_of(unit.kind);
  const double in_unit = std::fabs(largest) * unit.factor;
  // 999.5 and more of a step would be printed with four digits.
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return in_unit >= s.size * 0.9995; });
  const bool is_zero = in_unit == 0;
  const Step& step = found != steps.end() && !is_zero
                         ? *found
                         : (is_zero && unit.kind == Unit::Kind::kSeconds ? steps.front() : steps.back());
  std::string suffix = step.name;
  if (unit.is_per_s) suffix += "/s";
  return {unit.factor / step.size, std::move(suffix)};
}

std::string fixed_text(double value, int decimals) {
  std::array<char, 40> text{};
  constexpr double kFixedMax = 1e12;  // larger ones get an exponent
  const int size = std::fabs(value) < kFixedMax
                       ? std::snprintf(text.data(), text.size(), "%.*f", std::clamp(decimals, 0, 12), value)
                       : std::snprintf(text.data(), text.size(), "%.3g", value);
  return {text.data(), static_cast<size_t>(size)};
}

std::string unit_text(double value, const Unit& unit, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  const Scale scale = scale_of(value, unit);
  const double scaled = value * scale.factor;
  // Half of the last digit more, so that 9.999 counts as 10 if it is printed as that.
  const double size = std::fabs(scaled) * (1 + 0.5 * std::pow(10, -digits));
  int decimals = 0;
  if (size > 0) {
    const int power = static_cast<int>(std::floor(std::log10(size)));
    const int kept = digits == 3 && power < 0 ? 2 : digits;
    decimals = std::clamp(kept - 1 - power, 0, 9);
  }
  std::string out = fixed_text(scaled, decimals);
  if (out.find('.') != std::string::npos) {
    while (out.ends_with('0')) out.pop_back();
    if (out.ends_with('.')) out.pop_back();
  }
  if (out == "-0") out = "0";
  return out + scale.suffix;
}

}  // namespace statmill
