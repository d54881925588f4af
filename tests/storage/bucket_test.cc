#include "storage/bucket.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/storage/buckets.h"
#include "tests/support/exact_reference.h"

namespace statmill {
namespace {

// Typical decimals: up to 12 digits before and 3 after the point.
rc::Gen<Number> decimals() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<int64_t>(-1'000'000'000'000, 1'000'000'000'000), rc::gen::inRange(0, 4)),
      [](const std::pair<int64_t, int>& p) {
        return Number::decimal(p.first, static_cast<int8_t>(p.second));
      });
}

// Merges in a random tree instead of from left to right.
Bucket merge_in_random_tree(std::vector<Number> numbers, std::mt19937_64& random) {
  std::vector<Bucket> parts;
  std::shuffle(numbers.begin(), numbers.end(), random);
  for (const Number& n : numbers) parts.push_back(Bucket::of(n));
  while (parts.size() > 1) {
    const size_t i = random() % (parts.size() - 1);
    parts[i].merge(parts.back());
    parts.pop_back();
  }
  return parts.empty() ? Bucket() : parts[0];
}

// Ingest adds samples one by one; the result is bit-identical, including doubles and overflows.
RC_GTEST_PROP(Bucket, AddingASampleEqualsMergingItsBucket, ()) {
  const auto numbers = *rc::gen::container<std::vector<Number>>(any_numbers());
  Bucket added;
  Bucket whole;
  for (const Number& n : numbers) {
    added.add(n);
    whole.merge(Bucket::of(n));
    RC_ASSERT(added == whole);
  }
}

RC_GTEST_PROP(Bucket, MergesDecimalsTheSameInAnyOrderAndGrouping, ()) {
  const auto numbers = *rc::gen::container<std::vector<Number>>(decimals());
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  RC_ASSERT(merged(numbers) == merge_in_random_tree(numbers, random));
}

struct ExactSums {
  BigInteger sum;      // at 10^-18
  BigInteger squares;  // at 10^-36
};

ExactSums exact_sums(const std::vector<Number>& numbers) {
  ExactSums out;
  for (const Number& n : numbers) {
    const BigInteger v = BigInteger(n.mantissa) * big_power_of_ten(18 - n.scale);
    out.sum += v;
    out.squares += v * v;
  }
  return out;
}

// Returns whether 64 and 128 bits hold the sums of the numbers' magnitudes, and so those of any of them.
bool fit_integers(const std::vector<Number>& numbers) {
  int scale = 0;
  for (const Number& n : numbers) scale = std::max(scale, int{n.scale});
  BigInteger sum;
  BigInteger squares;
  for (const Number& n : numbers) {
    const BigInteger v = abs(BigInteger(n.mantissa)) * big_power_of_ten(scale - n.scale);
    sum += v;
    squares += v * v;
  }
  return sum <= INT64_MAX && squares < (BigInteger(1) << 127);
}

// Up to 18 digits of any scale, mostly those of doubles in use: 17 digits of which 15 are decimals.
rc::Gen<Number> long_decimals() {
  constexpr int64_t kSeventeenDigits = 100'000'000'000'000'000;
  const auto decimal = [](int64_t mantissa, int8_t scale) { return Number::decimal(mantissa, scale); };
  return rc::gen::oneOf(
      rc::gen::apply(decimal, rc::gen::inRange<int64_t>(-kSeventeenDigits, kSeventeenDigits),
                     rc::gen::inRange<int8_t>(13, 17)),
      rc::gen::apply(decimal, rc::gen::inRange<int64_t>(0, kSeventeenDigits), rc::gen::just<int8_t>(15)),
      rc::gen::apply(decimal, rc::gen::inRange<int64_t>(-Number::kMantissaMax, Number::kMantissaMax + 1),
                     rc::gen::inRange<int8_t>(0, Number::kScaleMax + 1)),
      small_decimals());
}

RC_GTEST_PROP(Bucket, LongDecimalsAreExactInAnyOrderWhileTheyFit, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<Number>>(long_decimals()));
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  const Bucket b = merge_in_random_tree(numbers, random);
  const ExactSums want = exact_sums(numbers);
  RC_ASSERT(b.count() == numbers.size());
  RC_TAG(fit_integers(numbers));
  if (fit_integers(numbers)) {
    RC_ASSERT(b.is_decimal());
    const BigInteger unit = big_power_of_ten(18 - b.scale());
    RC_ASSERT(BigInteger(b.decimal().sum) * unit == want.sum);
    RC_ASSERT(big(b.decimal().sum_of_squares) * unit * unit == want.squares);
    RC_ASSERT(b == merged(numbers));
    return;
  }
  // In doubles: no integer has wrapped.
  double magnitudes = 0;
  for (const Number& n : numbers) magnitudes += std::abs(n.value());
  const double sum = want.sum.convert_to<double>() / 1e18;
  RC_ASSERT(std::abs(b.sum() - sum) <= static_cast<double>(numbers.size()) * 0x1p-52 * magnitudes);
}

RC_GTEST_PROP(Bucket, AgreesWithIntegersToTheLastBit, ()) {
  const auto numbers = *rc::gen::nonEmpty(rc::gen::container<std::vector<Number>>(decimals()));
  constexpr int64_t kUnit[] = {1000, 100, 10, 1};  // everything in thousandths
  Int128 sum = 0;
  Int128 squares = 0;
  int64_t min = INT64_MAX;
  int64_t max = INT64_MIN;
  for (const Number& n : numbers) {
    const int64_t v = n.mantissa * kUnit[n.scale];
    sum += v;
    squares += Int128{v} * v;
    min = std::min(min, v);
    max = std::max(max, v);
  }
  const Bucket b = merged(numbers);
  RC_ASSERT(b.is_decimal());
  const Bucket want = Bucket::from_decimal(numbers.size(), {static_cast<int64_t>(sum), squares, min, max, 3});
  RC_ASSERT(b == want);
  const auto n = static_cast<Int128>(numbers.size());
  const long double m2 =
      static_cast<long double>(n * squares - sum * sum) / static_cast<long double>(n) / 1e6L;
  RC_ASSERT(b.m2() >= 0);
  RC_ASSERT(std::abs(static_cast<long double>(b.m2()) - m2) <= 1e-15L * m2);
}

// The sum of n doubles has a relative error of at most n 2^-53, and the error of M2 must not exceed its
// effect.
RC_GTEST_PROP(Bucket, M2OfRealsIsAccurateAndNeverNegative, ()) {
  const auto values =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1'000'000, 1'000'000)));
  const double offset = *rc::gen::element(0.0, 1e3, 1e6, 1e9, 1e12);
  const auto n = static_cast<double>(values.size());
  Bucket b;
  __float128 mean = 0;
  for (const int v : values) {
    const double x = offset + v / 3.0;
    b.merge(Bucket::of(Number::of(x)));
    mean += x;
  }
  mean /= n;
  __float128 m2 = 0;
  for (const int v : values) {
    const __float128 d = (offset + v / 3.0) - mean;
    m2 += d * d;
  }
  const auto want = static_cast<double>(m2);
  const double mean_error = n * (offset + 1e6) * 0x1p-53;
  RC_ASSERT(!b.is_decimal());
  RC_ASSERT(b.m2() >= 0);
  RC_ASSERT(std::abs(b.m2() - want) <=
            4 * std::sqrt(want * n) * mean_error + 4 * n * mean_error * mean_error);
}

TEST(Bucket, ReadsDeviationOneAtMeanOneTrillion) {
  Bucket b;
  for (int i = 0; i < 3000; ++i) {
    for (const int64_t d : {-100, 0, 100}) b.merge(Bucket::of(Number::decimal(100'000'000'000'000 + d, 2)));
  }
  EXPECT_EQ(b.count(), 9000U);
  EXPECT_EQ(b.mean(), 1e12);
  EXPECT_DOUBLE_EQ(b.stddev(), std::sqrt(6000.0 / 8999.0));
}

TEST(Bucket, SwitchesToDoublesIfIntegersWouldOverflow) {
  Bucket b;
  const int64_t large = Number::kMantissaMax;
  for (int i = 0; i < 5000; ++i) b.merge(Bucket::of(Number::decimal(large, 0)));
  EXPECT_FALSE(b.is_decimal());
  EXPECT_EQ(b.count(), 5000U);
  EXPECT_NEAR(b.sum() / (5000.0 * static_cast<double>(large)), 1.0, 1e-12);
  EXPECT_EQ(b.min(), static_cast<double>(large));
}

TEST(Bucket, HoldsHundredsOfSquaresOfEighteenDigits) {
  Bucket b;
  const Number large = Number::decimal(Number::kMantissaMax, 9);
  for (const bool is_negative : {false, true, false, true, false, true, false, true})
    b.merge(Bucket::of(Number::decimal(is_negative ? -large.mantissa : large.mantissa, 9)));
  Bucket many;
  for (int i = 0; i < 21; ++i) many.merge(b);
  EXPECT_TRUE(many.is_decimal()) << "168 squares of nearly 10^36 are below 2^127";
  EXPECT_EQ(many.sum(), 0);
  many.merge(b);
  EXPECT_FALSE(many.is_decimal());
  EXPECT_NEAR(many.stddev(), large.value() * std::sqrt(176.0 / 175.0), 1e-6);
}

TEST(Bucket, MergesVeryDifferentScalesWithoutWrap) {
  Bucket b = Bucket::of(Number::decimal(Number::kMantissaMax, 0));
  b.merge(Bucket::of(Number::decimal(1, 15)));
  EXPECT_FALSE(b.is_decimal());
  EXPECT_EQ(b.max(), static_cast<double>(Number::kMantissaMax));
  EXPECT_EQ(b.min(), 1e-15);
}

TEST(Bucket, EmptyIsIdentity) {
  const Bucket one = Bucket::of(Number::decimal(15, 1));
  Bucket left;
  left.merge(one);
  Bucket right = one;
  right.merge(Bucket());
  EXPECT_EQ(left, one);
  EXPECT_EQ(right, one);
  EXPECT_EQ(Bucket(), Bucket());
}

TEST(Bucket, ComparesByValueNotByScale) {
  EXPECT_EQ(Bucket::from_decimal(1, {150, 22500, 150, 150, 2}), Bucket::of(Number::decimal(15, 1)));
  EXPECT_FALSE(Bucket::of(Number::decimal(15, 1)) == Bucket::of(Number::decimal(16, 1)));
}

TEST(Bucket, SaturatesSumsOfHugeDoubles) {
  Bucket b = Bucket::of(Number::of(1.7e308));
  b.merge(Bucket::of(Number::of(1.7e308)));
  EXPECT_TRUE(std::isfinite(b.sum()));
  EXPECT_TRUE(std::isfinite(b.stddev()));
}

ReadyBucket rest(uint64_t count, double squares, double min, double max) {
  const auto number = [](double v) { return Number::decimal(static_cast<int64_t>(v), 0); };
  return {count, number(squares), number(min), number(max)};
}

TEST(ReadyBucketCheck, AcceptsConsistentNumbers) {
  const auto b = Bucket::ready(Number::decimal(12, 0), rest(3, 56, 2, 6));  // 2 4 6
  ASSERT_TRUE(b);
  EXPECT_EQ(b->count(), 3U);
  EXPECT_EQ(b->mean(), 4);
  EXPECT_EQ(b->stddev(), 2);
}

TEST(ReadyBucketCheck, RefusesContradictions) {
  EXPECT_FALSE(Bucket::ready(Number::decimal(12, 0), rest(0, 56, 2, 6))) << "no samples";
  EXPECT_FALSE(Bucket::ready(Number::decimal(12, 0), rest(3, 56, 6, 2))) << "min above max";
  EXPECT_FALSE(Bucket::ready(Number::decimal(30, 0), rest(3, 56, 2, 6))) << "mean above max";
  EXPECT_FALSE(Bucket::ready(Number::decimal(1, 0), rest(3, 56, 2, 6))) << "mean below min";
}

TEST(ReadyBucketCheck, KeepsAllDigitsOfSquaresAndTheDeviationsOfDoubles) {
  const auto number = [](int64_t v) { return Number{v, 6}; };
  const Bucket::Decimal numbers{3'000'000'000'000'000'005,
                                Int128{9} * 1'000'000'000'000'000'000 * 1'000'000'000'000'000'000, 1,
                                2'999'999'999'999'999'999, 6};
  ReadyBucket wide{3, {}, number(numbers.min), number(numbers.max)};
  wide.exact_squares = numbers.sum_of_squares;
  wide.squares_scale = 12;
  EXPECT_EQ(Bucket::ready(number(numbers.sum), wide), Bucket::from_decimal(3, numbers));
  const Bucket::Real real{0.30000000000000004, 1e-17, 0.1, 0.1};
  ReadyBucket doubles{3, Number::of(real.m2), Number::of(real.min), Number::of(real.max)};
  doubles.has_deviations = true;
  EXPECT_EQ(Bucket::ready(Number::of(real.sum), doubles), Bucket::from_real(3, real));
  doubles.sum_of_squares = Number::of(-1e-17);
  EXPECT_FALSE(Bucket::ready(Number::of(real.sum), doubles)) << "deviations are not negative";
}

TEST(ReadyBucketCheck, MovesImpossibleSquaresToTheNearestPossible) {
  const auto low = Bucket::ready(Number::decimal(12, 0), rest(3, 0, 2, 6));
  ASSERT_TRUE(low);
  EXPECT_EQ(low->m2(), 0);
  const auto high = Bucket::ready(Number::decimal(12, 0), rest(3, 1'000'000, 2, 6));
  ASSERT_TRUE(high);
  EXPECT_EQ(high->m2(), 12) << "(max - mean)(mean - min) n";
  EXPECT_TRUE(high->is_decimal());
}

TEST(ReadyBucketCheck, ManyEqualDecimalsAreExactWhateverTheirSquares) {
  const Number value = Number::decimal(123'456'789, 7);  // its square has more digits than a Number holds
  Bucket merged;
  for (int i = 0; i < 10; ++i) merged.merge(Bucket::of(value));
  const ReadyBucket equals{10, Number::of(10 * value.value() * value.value()), value, value};
  const auto ready = Bucket::ready(Number::of(123.456789), equals);
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->is_decimal());
  EXPECT_EQ(*ready, merged);
  const Number large = Number::decimal(Number::kMantissaMax, 0);
  const auto many = Bucket::ready(Number::of(1e20 * large.value()), {100'000'000'000, {}, large, large});
  EXPECT_FALSE(many) << "the mean is not between them";
  const auto beyond = Bucket::ready(Number::of(1e11 * large.value()), {100'000'000'000, {}, large, large});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->sum(), 1e11 * large.value()) << "in doubles, since no integer holds it";
}

TEST(ReadyBucketCheck, OneSampleFollowsFromItsSumAndTwoFromTheirExtremes) {
  EXPECT_EQ(*Bucket::ready(Number::decimal(5, 0), rest(1, 9999, 5, 5)), Bucket::of(Number::decimal(5, 0)));
  const auto two = Bucket::ready(Number::decimal(8, 0), rest(2, 0, 2, 6));
  EXPECT_EQ(two->m2(), 8);
}

TEST(ReadyBucketCheck, TwoSamplesOfAHistogramAddUpToItsSum) {
  struct Case {
    double sum;
    double min;
    double max;
  };
  const std::vector<HistogramCell> cells = {{1, 2}};  // only their presence matters
  for (const Case& c : {Case{8, 2, 6}, {5, 2, 6}, {4, 2, 6}, {11, 2, 6}, {12, 2, 6}, {40000, 19968, 20479}}) {
    ReadyBucket edges = rest(2, 1, c.min, c.max);
    edges.cells = cells;
    const auto two = Bucket::ready(Number::decimal(static_cast<int64_t>(c.sum), 0), edges);
    ASSERT_TRUE(two);
    EXPECT_TRUE(two->is_decimal());
    EXPECT_EQ(two->sum(), c.sum);
    EXPECT_EQ(two->min() + two->max(), c.sum);
    EXPECT_GE(two->min(), c.min);
    EXPECT_LE(two->max(), c.max);
    edges.max = Number::of(c.max);  // in doubles
    EXPECT_EQ(Bucket::ready(Number::of(c.sum), edges)->sum(), c.sum);
  }
}

TEST(EventBucket, AddsTotalsAndReturnsExactRates) {
  Bucket b;
  b.add_event(Bucket::of(Number::decimal(7, 0)));
  b.add_event(Bucket::of(Number::decimal(5, 1)));
  EXPECT_EQ(b, Bucket::of(Number::decimal(75, 1)));
  EXPECT_EQ(b.event_rate(10), Bucket::of(Number::decimal(75, 2)));
  EXPECT_TRUE(b.event_rate(4).is_decimal());
  EXPECT_EQ(b.event_rate(4).sum(), 1.875);
  EXPECT_FALSE(b.event_rate(7).is_decimal());
  EXPECT_EQ(b.event_rate(10).sum_times(10), 7.5);
}

TEST(EventBucket, AddsTotalsThatFitWithoutTheZerosAtTheirEnds) {
  Bucket b = Bucket::of(Number::decimal(5000, 0));
  ASSERT_TRUE(b.rescale(15));  // as in columns with 15 decimals
  b.add_event(Bucket(b));
  EXPECT_TRUE(b.is_decimal());
  EXPECT_EQ(b, Bucket::of(Number::decimal(10'000, 0)));
  b.add_event(Bucket::of(Number::decimal(1, 18)));
  EXPECT_FALSE(b.is_decimal()) << "10^22 is no int64";
  EXPECT_EQ(b.sum(), 10'000);
}

TEST(EventBucket, CountsSilentSlotsAsZeros) {
  Bucket b = Bucket::of(Number::decimal(-3, 0));
  b.merge_zeros(2);
  EXPECT_EQ(b.count(), 3U);
  EXPECT_EQ(b.max(), 0);
  EXPECT_EQ(b.min(), -3);
  EXPECT_EQ(b.m2(), 6);
  Bucket silent;
  silent.merge_zeros(4);
  EXPECT_EQ(silent.count(), 4U);
  EXPECT_EQ(silent.mean(), 0);
}

}  // namespace
}  // namespace statmill
