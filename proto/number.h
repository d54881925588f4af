// Number: the exact value of a number in a line.
//
// Nearly all samples are decimals of at most 18 digits. Kept as mantissa and scale, they add up exactly in
// any order. A longer number is rounded to a double first, and becomes the shortest decimal of that double;
// only if it is too small or too large for this, it stays a double.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/verdict.h"
#include "proto/refusal.h"

namespace statmill {

struct Number {
  static constexpr int8_t kNotDecimal = -1;
  static constexpr int8_t kScaleMax = 18;
  static constexpr int64_t kMantissaMax = 999'999'999'999'999'999;  // the most digits that all fit an int64_t

  int64_t mantissa = 0;  // the number is mantissa / 10^scale; if not is_decimal(), these are a double's bits
  int8_t scale = 0;      // 0..kScaleMax, as small as possible; or kNotDecimal

  bool is_decimal() const { return scale != kNotDecimal; }
  friend bool operator==(const Number&, const Number&) = default;
  // Returns the nearest double, always finite. Cost: a division, or some of 128 bits if the mantissa is over
  // 2^53; so parsers do not store it.
  double value() const;

  static Number of(double value) { return {std::bit_cast<int64_t>(value), kNotDecimal}; }
  static Number decimal(int64_t mantissa,
                        int8_t scale);  // Requires: |mantissa| <= kMantissaMax, scale in range
  // Returns the decimal with the fewest digits whose nearest double is `value`, or all digits of an integer
  // (as std::to_chars() writes it); if a Number cannot hold it, the double itself. So a double means the same
  // number whether it arrives as such or as text. Requires: `value` is finite. Cost: about 100 ns.
  static Number shortest(double value);
};

// Parses the whole text: optional sign, digits with at most one point, optional exponent
// ("-1.50", ".5", "5.", "+1e3"). Refuses with kBadValue empty text, hex or trailing bytes;
// with kNotFinite any spelling of nan and inf; with kOutOfRange overflow and nonzero numbers
// that underflow to zero. Locale-free. No allocation.
Verdict<Refusal> parse_number(std::string_view text, Number& number);

}  // namespace statmill
