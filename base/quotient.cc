#include "base/quotient.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace statmill {
namespace {

constexpr int kMantissaBits = 53;

int bit_width(Uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  const auto low = static_cast<uint64_t>(value);
  return 128 - (high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low));
}

// Returns whether a double holds the integer exactly. May return false for those of 2^64 and more.
bool is_double(Uint128 value) {
  const auto low = static_cast<uint64_t>(value);
  if (low != value) return false;
  constexpr auto kEnd = static_cast<uint64_t>(kEveryIntegerIsADouble);
  return low <= kEnd || low >> std::countr_zero(low) <= kEnd;
}

// Returns the double nearest to (quotient + rest) * 2^exponent, where rest is 0 or, if `is_inexact`, between
// 0 and 1. Requires: an inexact quotient has more than kMantissaBits + 1 bits.
double rounded(Uint128 quotient, bool is_inexact, int exponent) {
  const int dropped = std::max(0, bit_width(quotient) - kMantissaBits);
  auto mantissa = static_cast<uint64_t>(quotient >> dropped);
  if (dropped > 0) {
    const Uint128 rest = quotient - (static_cast<Uint128>(mantissa) << dropped);
    const Uint128 half = Uint128{1} << (dropped - 1);
    const bool is_above = rest > half || (rest == half && is_inexact);
    const bool is_tie = rest == half && !is_inexact;
    if (is_above || (is_tie && mantissa % 2 == 1)) ++mantissa;
  }
  return std::ldexp(static_cast<double>(mantissa), exponent + dropped);
}

// Divides as on paper, with digits of up to 64 bits, until the quotient has enough bits to be rounded.
double long_division(Uint128 numerator, Uint128 denominator) {
  Uint128 quotient = numerator / denominator;
  Uint128 rest = numerator % denominator;
  int exponent = 0;
  while (rest != 0 && bit_width(quotient) < kMantissaBits + 2) {
    const int shift = std::min(64, 128 - bit_width(denominator));  // rest < denominator stays in 128 bits
    rest <<= shift;
    quotient = quotient << shift | rest / denominator;
    rest %= denominator;
    exponent -= shift;
  }
  return rounded(quotient, rest != 0, exponent);
}

}  // namespace

double nearest_quotient_of_any(Int128 numerator, Uint128 denominator) {
  const bool is_negative = numerator < 0;
  const auto magnitude = static_cast<Uint128>(is_negative ? -numerator : numerator);
  const double quotient = is_double(magnitude) && is_double(denominator)
                              ? static_cast<double>(static_cast<uint64_t>(magnitude)) /
                                    static_cast<double>(static_cast<uint64_t>(denominator))
                              : long_division(magnitude, denominator);
  return is_negative ? -quotient : quotient;
}

}  // namespace statmill
