// nearest_quotient(): the double that is nearest to the quotient of two integers, rounded once.
//
// A division of doubles or long doubles rounds its operands first, and a long double is rounded again when it
// becomes a double: 6838187061 / 10^8 then reads 68.38187060999999.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/int128.h"

namespace statmill {

inline constexpr int kPowerOfTenMax = 18;  // 10^18 fits an int64_t

// Not a local constant of power_of_ten(): g++ would write the whole table to the stack in each call.
inline constexpr std::array<int64_t, kPowerOfTenMax + 1> kIntegerPowersOfTen = [] {
  std::array<int64_t, kPowerOfTenMax + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// Returns 10^exponent. Requires: 0 <= exponent <= kPowerOfTenMax.
inline int64_t power_of_ten(int exponent) { return kIntegerPowersOfTen[static_cast<size_t>(exponent)]; }

inline constexpr int64_t kEveryIntegerIsADouble = int64_t{1} << 53;  // up to here

// The part of nearest_quotient() for integers that may be no doubles. Requires and returns the same.
double nearest_quotient_of_any(Int128 numerator, Uint128 denominator);

// Returns the double that is nearest to numerator / denominator; of two that are equally near, the one with
// the even mantissa (as IEEE 754 rounds a division). Requires: |numerator| < 2^127, 0 < denominator < 2^126.
// Cost: one division of doubles if both integers are doubles, which is nearly always so; otherwise some
// divisions of 128-bit integers.
inline double nearest_quotient(Int128 numerator, Uint128 denominator) {
  if (numerator < -kEveryIntegerIsADouble || numerator > kEveryIntegerIsADouble ||
      denominator > Uint128{kEveryIntegerIsADouble}) {
    return nearest_quotient_of_any(numerator, denominator);
  }
  return static_cast<double>(static_cast<int64_t>(numerator)) /
         static_cast<double>(static_cast<int64_t>(denominator));
}

}  // namespace statmill
