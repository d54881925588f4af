// Number: a number as it was written, exactly.
//
// Nearly all samples are short decimals; kept as mantissa and scale they add up exactly, whatever the order.
// Anything else (too long, too small, too large) is the nearest double.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace statmill {

struct Number {
  static constexpr int8_t kNotDecimal = -1;
  static constexpr int8_t kScaleMax = 15;
  static constexpr int64_t kMantissaMax = int64_t{1} << 53;  // below, mantissa / 10^scale rounds once

  int64_t mantissa =
      0;             // mantissa / 10^scale is what was written; or, when not is_decimal(), a double's bits
  int8_t scale = 0;  // 0..kScaleMax, as small as the mantissa allows; or kNotDecimal

  bool is_decimal() const { return scale != kNotDecimal; }
  friend bool operator==(const Number&, const Number&) = default;
  // The nearest double, always finite. Cost: a division, which is why it is not kept.
  double value() const;

  static Number of(double value) { return {std::bit_cast<int64_t>(value), kNotDecimal}; }
  static Number decimal(int64_t mantissa,
                        int8_t scale);  // Requires: |mantissa| <= kMantissaMax, scale in range
};

enum class NumberError : uint8_t { kNone, kBadValue, kNotFinite, kOutOfRange };

// Reads the whole text: optional sign, digits with at most one point, optional exponent ("-1.50", ".5", "5.",
// "+1e3"). Refused: empty, hex, trailing bytes (kBadValue); any spelling of nan and inf (kNotFinite);
// overflow, and underflow to zero of a number that is not zero (kOutOfRange). Locale-free. No allocation.
NumberError parse_number(std::string_view text, Number& number);

}  // namespace statmill
