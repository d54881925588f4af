#include "server/query/encode/decimal_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <charconv>
#include <limits>
#include <random>
#include <string>

#include "base/quotient.h"
#include "base/text.h"
#include "proto/number.h"
#include "tests/support/exact_reference.h"

namespace statmill {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

std::string decimal_text(int64_t integer, int scale) {
  std::array<char, kDecimalTextMax> text{};
  return {text.data(), put_decimal(text.data(), integer, scale)};
}

std::string shortest_text(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

TEST(DecimalText, HasTheShortestExactForm) {
  struct DecimalCase {
    int64_t integer;
    int scale;
    std::string_view want;
  };
  const std::vector<DecimalCase> cases = {
      {0, 0, "0"},
      {0, 18, "0"},
      {7, 0, "7"},
      {-10, 0, "-10"},
      {105, 2, "1.05"},
      {-5, 1, "-0.5"},
      {1'000'500, 3, "1000.5"},
      {120'000, 4, "12"},
      {9'999, 2, "99.99"},
      {10'001, 4, "1.0001"},
      {123, 3, "0.123"},
      {1, 3, "0.001"},
      {1, 4, "1e-04"},
      {12, 5, "0.00012"},
      {12, 6, "1.2e-05"},
      {-1, 18, "-1e-18"},
      {6838187061, 8, "68.38187061"},
      {8'000'000'000'000'001, 15, "8.000000000000001"},
      {9'007'199'254'740'993, 0, "9007199254740993"},
      {999'999'999'999'999'999, 18, "0.999999999999999999"},
      {1'000'000'000'000'000'001, 18, "1.000000000000000001"},
      {1'000'000'000'000'000'000, 18, "1"},
      {43'929'066'346'297'100, 0, "43929066346297100"},
      {1'000'000'000'000'000'000, 0, "1e+18"},
      {1'234'500'000'000'000'000, 0, "1.2345e+18"},
      {1'234'567'890'123'456'000, 0, "1234567890123456000"},
      {kMost, 0, "9223372036854775807"},
      {kLeast, 0, "-9223372036854775808"},
      {kMost, 18, "9.223372036854775807"},
      {kLeast, 1, "-922337203685477580.8"},
      {kLeast, 18, "-9.223372036854775808"},
  };
  for (const DecimalCase& c : cases) EXPECT_EQ(decimal_text(c.integer, c.scale), c.want);
}

int64_t any_length(std::mt19937_64& random) { return static_cast<int64_t>(random()) >> (random() % 64); }

RC_GTEST_PROP(DecimalText, UpToFifteenDigitsIsTheTextOfTheNearestDouble, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    const int64_t integer = any_length(random) % 1'000'000'000'000'000;
    const int scale = static_cast<int>(random() % 19);
    RC_ASSERT(decimal_text(integer, scale) ==
              shortest_text(nearest_quotient(integer, static_cast<Uint128>(power_of_ten(scale)))));
  }
}

// An answer's text of a sample, sent again, is the same sample.
RC_GTEST_PROP(DecimalText, OfANumberParsesToTheSameNumber, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    const int64_t mantissa = any_length(random) % (Number::kMantissaMax + 1);
    const Number number = Number::decimal(mantissa, static_cast<int8_t>(random() % (Number::kScaleMax + 1)));
    Number parsed;
    RC_ASSERT(parse_number(decimal_text(number.mantissa, number.scale), parsed).is_accepted());
    RC_ASSERT(parsed == number);
  }
}

// Returns whether the text is exactly integer / 10^scale.
bool is_exact(std::string_view text, int64_t integer, int scale) {
  const size_t e = text.find('e');
  int exponent = e == std::string_view::npos ? 0 : std::stoi(std::string(text.substr(e + 1)));
  std::string digits(text.substr(0, e));
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  const bool is_negative = digits.starts_with('-');
  digits.erase(0, digits.find_first_not_of("-0"));  // a leading zero would mean an octal number
  const BigInteger magnitude = digits.empty() ? BigInteger(0) : BigInteger(digits);
  const BigInteger left = (is_negative ? -magnitude : magnitude) * big_power_of_ten(std::max(0, exponent));
  return left * big_power_of_ten(scale) == BigInteger(integer) * big_power_of_ten(std::max(0, -exponent));
}

RC_GTEST_PROP(DecimalText, OfAnyLengthIsExactAndParsesToTheNearestDouble, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    const int64_t integer = any_length(random);
    const int scale = static_cast<int>(random() % 19);
    const std::string text = decimal_text(integer, scale);
    RC_ASSERT(text.size() <= kDecimalTextMax);
    RC_ASSERT(is_exact(text, integer, scale));
    const bool has_fraction = text.find('.') != std::string::npos && text.find('e') == std::string::npos;
    RC_ASSERT(!(has_fraction && text.ends_with('0')));
    double parsed = 0;
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    RC_ASSERT(is_nearest(parsed, integer, big_power_of_ten(scale)));
  }
}

}  // namespace
}  // namespace statmill
