// Nearly every number fits the decimal form, so its digits are collected here. std::from_chars parses the
// others; it only gets text that is known to be a number.
#include "proto/number.h"

#include <array>
#include <charconv>

#include "base/check.h"
#include "base/quotient.h"
#include "proto/fast_number.h"

namespace statmill {
namespace {

constexpr auto kMantissaMax = static_cast<uint64_t>(Number::kMantissaMax);

// All are exact as doubles (as are all powers up to 10^22), so a division of another double by one rounds
// only once.
constexpr std::array<double, Number::kScaleMax + 1> kPowersOfTen = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

// mantissa * 10^exponent. A mantissa over kMantissaMax means that further digits were dropped.
struct Digits {
  uint64_t mantissa = 0;
  int64_t exponent = 0;

  void append(char digit) {
    if (mantissa <= kMantissaMax) mantissa = mantissa * 10 + static_cast<uint64_t>(digit - '0');
  }
};

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// Skips a sign; returns true if it is a minus.
bool skip_sign(const char*& at, const char* end) {
  if (at == end || (*at != '-' && *at != '+')) return false;
  return *at++ == '-';
}

// Reads digits with at most one point; drops zeros at the end of the
// fraction. Returns false if there is no digit.
bool read_mantissa(const char*& at, const char* end, Digits& digits) {
  const char* const begin = at;
  for (; at != end && is_digit(*at); ++at) digits.append(*at);
  bool any = at != begin;
  if (at == end || *at != '.') return any;
  int64_t zeros = 0;
  for (++at; at != end && is_digit(*at); ++at) {
    any = true;
    if (*at == '0') {
      ++zeros;
      continue;
    }
    digits.exponent -= zeros + 1;
    for (; zeros > 0; --zeros) digits.append('0');
    digits.append(*at);
  }
  return any;
}

// Reads "e" and an integer up to `end`. Returns false if the text is anything else.
bool read_exponent(const char*& at, const char* end, Digits& digits) {
  if (*at != 'e' && *at != 'E') return false;
  ++at;
  const bool negative = skip_sign(at, end);
  if (at == end) return false;
  constexpr int64_t kExponentMax = 1'000'000'000'000'000;  // a larger exponent overflows or underflows anyway
  int64_t exponent = 0;
  for (; at != end && is_digit(*at); ++at) {
    if (exponent < kExponentMax) exponent = exponent * 10 + (*at - '0');
  }
  digits.exponent += negative ? -exponent : exponent;
  return at == end;
}

// Converts the digits to a mantissa up to kMantissaMax and an exponent in -kScaleMax..0.
// Returns false if that is not possible.
bool fit_decimal(Digits& digits) {
  if (digits.mantissa > kMantissaMax) return false;
  while (digits.exponent < 0 && digits.mantissa % 10 == 0) {
    digits.mantissa /= 10;
    ++digits.exponent;
  }
  for (; digits.exponent > 0; --digits.exponent) {
    digits.mantissa *= 10;
    if (digits.mantissa > kMantissaMax) return false;
  }
  return digits.exponent >= -Number::kScaleMax;
}

Number fitted_decimal(bool negative, const Digits& digits) {
  const auto mantissa = static_cast<int64_t>(digits.mantissa);
  const auto scale = static_cast<int8_t>(-digits.exponent);
  return {negative ? -mantissa : mantissa, scale};
}

// Requires: `text` is a nonzero number without sign.
Verdict<Refusal> parse_long_number(bool negative, std::string_view text, Number& number) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return Refusal::kOutOfRange;
  SM_CHECK(end == text.data() + text.size());
  number = Number::shortest(negative ? -value : value);
  return kAccepted;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (('A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lower[i]) return false;
  }
  return true;
}

// Recognizes C's spellings: inf, infinity, nan, nan(anything). Requires: `text` has no sign.
bool is_not_finite(std::string_view text) {
  if (text.size() > 4 && text.back() == ')' && equals_ignoring_case(text.substr(0, 4), "nan(")) return true;
  return equals_ignoring_case(text, "nan") || equals_ignoring_case(text, "inf") ||
         equals_ignoring_case(text, "infinity");
}

}  // namespace

double Number::value() const {
  if (!is_decimal()) return std::bit_cast<double>(mantissa);
  if (-kEveryIntegerIsADouble <= mantissa && mantissa <= kEveryIntegerIsADouble)
    return static_cast<double>(mantissa) / kPowersOfTen[static_cast<size_t>(scale)];
  return nearest_quotient(mantissa, static_cast<Uint128>(power_of_ten(scale)));
}

Number Number::decimal(int64_t mantissa, int8_t scale) {
  SM_CHECK(-kMantissaMax <= mantissa && mantissa <= kMantissaMax);
  SM_CHECK(0 <= scale && scale <= kScaleMax);
  Digits digits{static_cast<uint64_t>(mantissa < 0 ? -mantissa : mantissa), mantissa == 0 ? 0 : -scale};
  SM_CHECK(fit_decimal(digits));
  return fitted_decimal(mantissa < 0, digits);
}

Number Number::shortest(double value) {
  if (value == 0) return {};
  constexpr size_t kRoom = 32;  // 17 digits, a point, a sign and an exponent
  std::array<char, kRoom> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  SM_CHECK(error == std::errc{});
  const char* at = text.data();
  const bool negative = skip_sign(at, end);
  Digits digits;
  SM_CHECK(read_mantissa(at, end, digits) && (at == end || read_exponent(at, end, digits)));
  return fit_decimal(digits) ? fitted_decimal(negative, digits) : of(value);
}

Verdict<Refusal> parse_number(std::string_view text, Number& number) {
  if (parse_number_fast(text.data(), text, number)) return kAccepted;
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = skip_sign(at, end);
  const std::string_view rest(at, static_cast<size_t>(end - at));
  Digits digits;
  if (!read_mantissa(at, end, digits) || (at != end && !read_exponent(at, end, digits))) {
    return is_not_finite(rest) ? Refusal::kNotFinite : Refusal::kBadValue;
  }
  if (digits.mantissa == 0) {
    number = Number{};
    return kAccepted;
  }
  if (!fit_decimal(digits)) return parse_long_number(negative, rest, number);
  number = fitted_decimal(negative, digits);
  return kAccepted;
}

}  // namespace statmill
