// Number: the exact value of a number in a line.
//
// Nearly all samples are short decimals. Kept as mantissa and scale, they add up exactly in any order.
// Any other number (too long, too small, too large) becomes the nearest double.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/verdict.h"
#include "proto/refusal.h"

namespace statmill {

struct Number {
  static constexpr int8_t kNotDecimal = -1;
  static constexpr int8_t kScaleMax = 15;
  static constexpr int64_t kMantissaMax = int64_t{1} << 53;  // below, mantissa / 10^scale rounds once

  int64_t mantissa = 0;  // the number is mantissa / 10^scale; if not is_decimal(), these are a double's bits
  int8_t scale = 0;      // 0..kScaleMax, as small as possible; or kNotDecimal

  bool is_decimal() const { return scale != kNotDecimal; }
  friend bool operator==(const Number&, const Number&) = default;
  // Returns the nearest double, always finite. Cost: a division, so parsers do not store it.
  double value() const;

  static Number of(double value) { return {std::bit_cast<int64_t>(value), kNotDecimal}; }
  static Number decimal(int64_t mantissa,
                        int8_t scale);  // Requires: |mantissa| <= kMantissaMax, scale in range
};

// Parses the whole text: optional sign, digits with at most one point, optional exponent
// ("-1.50", ".5", "5.", "+1e3"). Refuses with kBadValue empty text, hex or trailing bytes;
// with kNotFinite any spelling of nan and inf; with kOutOfRange overflow and nonzero numbers
// that underflow to zero. Locale-free. No allocation.
Verdict<Refusal> parse_number(std::string_view text, Number& number);

}  // namespace statmill
