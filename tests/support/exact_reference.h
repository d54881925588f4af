// Checks by integers of any length that a double is the nearest to an exact number.
#pragma once

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/int128.h"

namespace statmill {

using BigInteger = boost::multiprecision::cpp_int;

inline BigInteger big(Int128 value) {
  const bool is_negative = value < 0;
  const auto magnitude = static_cast<Uint128>(is_negative ? -value : value);
  const BigInteger out = (BigInteger(static_cast<uint64_t>(magnitude >> 64)) << 64) +
                         BigInteger(static_cast<uint64_t>(magnitude));
  return is_negative ? -out : out;
}

inline BigInteger big_power_of_ten(int exponent) {
  return boost::multiprecision::pow(BigInteger(10), static_cast<unsigned>(exponent));
}

// Returns value * 2^1074, which is an integer for every finite double.
inline BigInteger in_smallest_units(double value) {
  int exponent = 0;
  const auto mantissa = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent += 1074 - 53;
  return exponent >= 0 ? BigInteger(mantissa) << exponent : BigInteger(mantissa) >> -exponent;
}

// Returns true if `got` is the double nearest to numerator / denominator, ties to even.
inline bool is_nearest(double got, const BigInteger& numerator, const BigInteger& denominator) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const BigInteger twice = numerator << 1075;
  const BigInteger middle = in_smallest_units(got);
  const BigInteger low = (in_smallest_units(std::nextafter(got, -kInfinity)) + middle) * denominator;
  const BigInteger high = (in_smallest_units(std::nextafter(got, kInfinity)) + middle) * denominator;
  const bool is_even = std::bit_cast<uint64_t>(got) % 2 == 0;
  return is_even ? low <= twice && twice <= high : low < twice && twice < high;
}

// Returns true if `got` is the double nearest to the square root of numerator / denominator, ties to even.
inline bool is_nearest_root(double got, const BigInteger& numerator, const BigInteger& denominator) {
  if (got <= 0) return numerator == 0 && got == 0;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const BigInteger four_times = numerator << (2 * 1075);
  const BigInteger middle = in_smallest_units(got);
  const BigInteger low = in_smallest_units(std::nextafter(got, 0)) + middle;
  const BigInteger high = in_smallest_units(std::nextafter(got, kInfinity)) + middle;
  const bool is_even = std::bit_cast<uint64_t>(got) % 2 == 0;
  const BigInteger least = low * low * denominator;
  const BigInteger most = high * high * denominator;
  return is_even ? least <= four_times && four_times <= most : least < four_times && four_times < most;
}

}  // namespace statmill
