// WideDecimal: decimals with more digits than a Number has, such as the sum of squares of a stored bucket.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/int128.h"

namespace statmill {

struct WideDecimal {
  static constexpr int kScaleMax = 36;   // twice the scale of a sample
  static constexpr int kDigitsMax = 38;  // all of them fit an Int128

  Int128 integer = 0;  // the number is integer / 10^scale
  int8_t scale = 0;    // 0..kScaleMax, as small as possible
  bool operator==(const WideDecimal&) const = default;
};

// Parses the whole text: an optional sign, then digits with at most one point between them ("-0.25"). Returns
// nullopt for any other text, and for more than kDigitsMax digits or kScaleMax of them after the point,
// without zeros in front and at the end of the fraction.
std::optional<WideDecimal> parse_wide_decimal(std::string_view text);

// Appends all digits, without an exponent or zeros at the end of the fraction ("-0.25"). A number of JSON.
// Requires: 0 <= scale <= kScaleMax; the integer is not the least Int128.
void append_wide_decimal(std::string& out, Int128 integer, int scale);

}  // namespace statmill
