#include "storage/deviation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <vector>

#include "base/quotient.h"
#include "storage/bucket.h"
#include "tests/support/exact_reference.h"

namespace statmill {
namespace {

struct Sums {
  uint64_t count = 0;
  int64_t sum = 0;
  Int128 squares = 0;
};

bool is_nearest_deviation(double got, const Sums& sums, int scale) {
  const BigInteger n = sums.count;
  const BigInteger n_m2 = n * big(sums.squares) - BigInteger(sums.sum) * sums.sum;
  return is_nearest_root(got, n_m2, n * (n - 1) * big_power_of_ten(2 * scale));
}

bool is_nearest_deviation(const Sums& sums, int scale) {
  return is_nearest_deviation(nearest_deviation(sums.count, sums.sum, sums.squares, scale), sums, scale);
}

// One sample x and three zeros: the deviation is x / 2.
Sums half_of(int64_t x) { return {4, x, Int128{x} * x}; }

TEST(NearestDeviation, OfIntegersIsExact) {
  EXPECT_EQ(nearest_deviation(3, 12, 56, 0), 2) << "2 4 6";
  EXPECT_EQ(nearest_deviation(3, 12, 56, 1), 0.2);
  EXPECT_EQ(nearest_deviation(3, 12, 56, 18), 2e-18);
  EXPECT_EQ(nearest_deviation(2, 10, 50, 0), 0) << "5 5";
  EXPECT_EQ(nearest_deviation(3, 12, 47, 0), 0) << "no samples have these squares";
}

TEST(NearestDeviation, TiesGoToEven) {
  constexpr int64_t kBig = int64_t{1} << 54;
  EXPECT_EQ(nearest_deviation(4, kBig + 1, half_of(kBig + 1).squares, 0), 0x1p53);
  EXPECT_EQ(nearest_deviation(4, kBig + 3, half_of(kBig + 3).squares, 0), 0x1p53 + 2);
}

TEST(NearestDeviation, IsDecidedNextToTheMiddleBetweenTwoDoubles) {
  for (int64_t k = -40; k <= 40; ++k) {
    for (const int64_t near : {-1, 0, 1}) {
      const int64_t x = (int64_t{1} << 61) + (2 * k + 1) * (int64_t{1} << 8) + near;
      for (const int scale : {0, 1, 18}) EXPECT_TRUE(is_nearest_deviation(half_of(x), scale)) << x;
    }
  }
}

TEST(NearestDeviation, CoversTheLimitsOfABucket) {
  constexpr uint64_t kCount = Bucket::kCountMax - 1;
  constexpr auto kMost = static_cast<Int128>(~Uint128{0} >> 1);
  for (const int scale : {0, 9, 18}) {
    EXPECT_TRUE(is_nearest_deviation({kCount, 0, kMost}, scale));
    EXPECT_TRUE(is_nearest_deviation({kCount, 1, 1}, scale));
    EXPECT_TRUE(is_nearest_deviation({2, 0, kMost}, scale));
    EXPECT_TRUE(is_nearest_deviation({2, 1, 1}, scale));
  }
}

// m^2 - 1 zeros and one x have the deviation x / m. Here that is as close to a middle as 63 bits of x allow,
// closer than the roundings of a long double.
RC_GTEST_PROP(NearestDeviation, IsDecidedBeyondTheDigitsOfALongDouble, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 50; ++i) {
    const uint64_t m = 2 + random() % 10'000;
    const auto scale = static_cast<int>(random() % 13);
    const uint64_t middle = uint64_t{1} << 53 | random() >> 11 | 1;  // 54 bits, odd
    Uint128 product = Uint128{middle} * m * static_cast<uint64_t>(power_of_ten(scale));
    while (product >> 62 == 0) product <<= 1;
    while (product >> 63 != 0) product >>= 1;
    const int64_t x = static_cast<int64_t>(product) - 1 + static_cast<int64_t>(random() % 3);
    RC_ASSERT(is_nearest_deviation({m * m, x, Int128{x} * x}, scale));
  }
}

RC_GTEST_PROP(NearestDeviation, AgreesWithIntegersOfAnyLength, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    Bucket bucket;
    Sums sums;
    const auto scale = static_cast<int8_t>(random() % 16);
    const uint64_t shift = 11 + random() % 50;
    sums.count = 2 + random() % 40;
    const auto offset = static_cast<int64_t>(random() >> (11 + random() % 50));
    for (uint64_t n = 0; n < sums.count; ++n) {
      const int64_t value = (offset + static_cast<int64_t>(random() >> shift)) / 2;
      sums.sum += value;
      sums.squares += Int128{value} * value;
      bucket.merge(Bucket::from_decimal(1, {value, Int128{value} * value, value, value, scale}));
    }
    RC_ASSERT(bucket.is_decimal());
    RC_ASSERT(is_nearest_deviation(bucket.stddev(), sums, scale));
  }
}

}  // namespace
}  // namespace statmill
