#include "server/query/encode/decimal_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/quotient.h"

namespace statmill {
namespace {

constexpr std::array<char, 200> make_pairs() {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kPairs = make_pairs();  // "00" to "99"

// Returns the number of decimal digits, 1 for 0. Requires: value < 10^19.
int digit_count(uint64_t value) {
  value |= 1;  // changes no digit count but that of 0
  if (value >= static_cast<uint64_t>(power_of_ten(kPowerOfTenMax))) return kPowerOfTenMax + 1;
  const int guess =
      (64 - std::countl_zero(value)) * 1233 >> 12;  // 1233 / 4096 is log10(2); too low by at most 1
  return guess + (value >= static_cast<uint64_t>(power_of_ten(guess)) ? 1 : 0);
}

// Writes the last `count` digits of the value so that they end before `end`. Returns the value without them.
uint64_t put_digits(char* end, uint64_t value, int count) {
  for (; count >= 2; count -= 2) {
    end -= 2;
    std::memcpy(end, &kPairs[2 * (value % 100)], 2);
    value /= 100;
  }
  if (count == 1) {
    *--end = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return value;
}

char* put_scientific(char* at, uint64_t digits, int count, int exponent) {
  char* const end = at + count + (count > 1 ? 1 : 0);
  const uint64_t first = put_digits(end, digits, count - 1);
  *at = static_cast<char>('0' + first);
  if (count > 1) at[1] = '.';
  exponent += count - 1;
  end[0] = 'e';
  end[1] = exponent < 0 ? '-' : '+';
  put_digits(end + 4, static_cast<uint64_t>(exponent < 0 ? -exponent : exponent), 2);
  return end + 4;
}

// Writes a number between 0 and 1, or an integer over 2^53: the forms that may need an exponent. The number
// is digits * 10^exponent. Requires: the last digit is not 0.
char* put_shorter_form(char* at, uint64_t digits, int exponent) {
  const int count = digit_count(digits);
  const int fixed_length = exponent < 0 ? 2 - exponent : count + exponent;
  const int scientific_length = count + (count > 1 ? 1 : 0) + 4;
  if (scientific_length < fixed_length) return put_scientific(at, digits, count, exponent);
  if (exponent < 0) {
    at[0] = '0';
    at[1] = '.';
    put_digits(at + fixed_length, digits, -exponent);
  } else {
    put_digits(at + count, digits, count);
    std::fill_n(at + count, exponent, '0');
  }
  return at + fixed_length;
}

}  // namespace

char* put_decimal(char* at, int64_t integer, int scale) {
  auto digits = static_cast<uint64_t>(integer);
  if (integer < 0) {
    *at++ = '-';
    digits = 0 - digits;
  }
  for (; scale > 0 && digits % 10 == 0; --scale) digits /= 10;
  constexpr uint64_t kAlwaysFixed = uint64_t{1} << 53;
  if (scale == 0 && digits >= kAlwaysFixed) {
    for (; digits % 10 == 0; --scale) digits /= 10;
    return put_shorter_form(at, digits, -scale);
  }
  const int count = digit_count(digits);
  if (scale >= count) return put_shorter_form(at, digits, -scale);
  if (scale == 0) {
    put_digits(at + count, digits, count);
    return at + count;
  }
  char* const end = at + count + 1;
  const uint64_t whole = put_digits(end, digits, scale);
  char* const point = end - scale - 1;
  *point = '.';
  put_digits(point, whole, count - scale);
  return end;
}

}  // namespace statmill
