#include "base/quotient.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/support/exact_reference.h"

namespace statmill {
namespace {

constexpr Int128 kOne = 1;

TEST(NearestQuotient, RoundsOnce) {
  struct RoundingCase {
    Int128 numerator;
    Uint128 denominator;
    double want;
    std::string_view why;
  };
  const std::vector<RoundingCase> cases = {
      {0, 7, 0, "zero"},
      {1, 3, 1.0 / 3, "two doubles"},
      {-1, 3, -1.0 / 3, "symmetric"},
      {6838187061, 100'000'000, 68.38187061, "a long double rounds to the middle of two doubles"},
      {(kOne << 53) + 1, 1, 0x1p53, "a tie, to even"},
      {(kOne << 53) + 3, 1, 0x1p53 + 4, "a tie, to even above"},
      {((kOne << 53) + 1) * 10 + 1, 10, 0x1p53 + 2, "just above a tie"},
      {((kOne << 53) + 1) * 10 - 1, 10, 0x1p53, "just below a tie"},
      {(kOne << 54) - 1, 1, 0x1p54, "rounded up to a power of two"},
      {(kOne << 63) - 1, 1'000'000'000'000'000'000, 9.223372036854775807, "the greatest sum and scale"},
      {-(kOne << 63), 1'000'000'000'000'000'000, -9.223372036854775808, "the least sum"},
      {1, static_cast<Uint128>(kOne << 108), 0x1p-108, "the smallest mean"},
      {(kOne << 126), 1, 0x1p126, "a large product"},
      {(kOne << 126) + (kOne << 73), 1, 0x1p126, "its tie"},
      {(kOne << 126) + (kOne << 73) + 1, 1, 0x1p126 + 0x1p74, "just above its tie"},
  };
  for (const RoundingCase& c : cases)
    EXPECT_EQ(nearest_quotient(c.numerator, c.denominator), c.want) << c.why;
}

// Integers of all lengths up to `bits`.
Int128 any_length(std::mt19937_64& random, int bits) {
  const Uint128 both = static_cast<Uint128>(random()) << 64 | random();
  return static_cast<Int128>(both >> (128 - bits + static_cast<int>(random() % static_cast<uint64_t>(bits))));
}

RC_GTEST_PROP(NearestQuotient, AgreesWithIntegersOfAnyLength, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Int128 numerator = any_length(random, 126) * (random() % 2 == 0 ? 1 : -1);
    const Int128 denominator = any_length(random, 108) + 1;
    const double got = nearest_quotient(numerator, static_cast<Uint128>(denominator));
    RC_ASSERT(is_nearest(got, big(numerator), big(denominator)));
  }
}

// Random quotients are never as close to the middle between two doubles as these.
RC_GTEST_PROP(NearestQuotient, DecidesNearTheMiddleBetweenTwoDoubles, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const Int128 middle = (kOne << 53) + 2 * static_cast<Int128>(random() >> 12) + 1;  // 54 bits and odd
    const Int128 denominator = any_length(random, 70) + 1;
    const auto shift = static_cast<int>(random() % 54);
    const Int128 numerator = (middle * denominator >> shift) + static_cast<Int128>(random() % 3) - 1;
    const double got = nearest_quotient(numerator, static_cast<Uint128>(denominator));
    RC_ASSERT(is_nearest(got, big(numerator), big(denominator)));
  }
}

}  // namespace
}  // namespace statmill
