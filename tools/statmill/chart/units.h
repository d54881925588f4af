// Units: what the numbers of a series measure, as far as names and kinds say, and how people read them.
#pragma once

#include <string>
#include <string_view>

namespace statmill {

struct Unit {
  enum class Kind { kNumber, kPercent, kBytes, kSeconds };

  Kind kind = Kind::kNumber;
  double factor = 1;  // a value times this is in bytes, or in seconds
  bool is_per_s = false;

  bool operator==(const Unit&) const = default;
};

// Returns the unit of a statistic ("avg", "p99", ...) of a series whose values have the unit `word`
// (proto/unit_name.h).
Unit unit_of(std::string_view word, std::string_view kind, std::string_view stat);

// A power of a unit: a value times `factor` has `decimals` digits worth reading and the unit `suffix`.
struct Scale {
  double factor = 1;
  std::string suffix;  // " MiB/s"; begins with a blank, or is "/s", or empty
};

// Returns the scale in which `largest`, an absolute value, has one to three digits before the point.
Scale scale_of(double largest, const Unit& unit);

// Returns so many digits, without zeros at the end, and the unit: "12.3 MiB/s", "0.1/s", "41 %". NaN and
// infinities as text. Two digits are enough below 1 if three are asked for. Requires: 3 <= digits.
std::string unit_text(double value, const Unit& unit, int digits = 3);

// Returns `value` with that many digits after the point, at most 12; with an exponent from 10^12 on.
std::string fixed_text(double value, int decimals);

}  // namespace statmill
