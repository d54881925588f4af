// Differences of distributions against lists of samples.
#include "server/query/ops/histogram_difference.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace statmill {
namespace {

Distribution of(const std::vector<int64_t>& integers, int scale = 0, int joined_power = 0) {
  Distribution out;
  std::vector<HistogramIndex> indices;
  for (const int64_t integer : integers) {
    const Number number = Number::decimal(integer, static_cast<int8_t>(scale));
    out.bucket.add(number);
    indices.push_back(joined_index(histogram_index(number.value()), joined_power));
  }
  std::ranges::sort(indices);
  std::vector<HistogramCell> cells;
  for (const HistogramIndex index : indices) {
    if (cells.empty() || cells.back().index != index) cells.push_back({index, 0});
    ++cells.back().count;
  }
  out.histogram = *SparseHistogram::from_cells(std::move(cells), joined_power);
  return out;
}

RC_GTEST_PROP(HistogramDifference, GivesBackWhatWasAdded, ()) {
  const auto samples = rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(-100'000, 100'000));
  const auto left = *rc::gen::nonEmpty(samples);
  const auto subtracted = *rc::gen::nonEmpty(samples);
  const int scale = *rc::gen::inRange(0, 4);
  const Distribution want = of(left, scale);
  const Distribution less = of(subtracted, scale);
  Distribution all = want;
  all.bucket.merge(less.bucket);
  all.histogram.merge(less.histogram);
  const auto got = difference(all, less);
  RC_ASSERT(got.has_value());
  RC_ASSERT(got->histogram == want.histogram);
  RC_ASSERT(got->bucket.count() == want.bucket.count());
  RC_ASSERT(got->bucket.sum() == want.bucket.sum());
  RC_ASSERT(std::abs(got->bucket.m2() - want.bucket.m2()) <= 1e-12 * want.bucket.m2());
  RC_ASSERT(std::abs(got->bucket.min() - want.bucket.min()) <= std::abs(want.bucket.min()) / 32);
  RC_ASSERT(std::abs(got->bucket.max() - want.bucket.max()) <= std::abs(want.bucket.max()) / 32);
  RC_ASSERT(got->bucket.min() <= got->bucket.mean() && got->bucket.mean() <= got->bucket.max());
}

TEST(HistogramDifference, ItsExtremesAreNotBeyondThoseOfAllSamples) {
  const auto got = difference(of({1035, 1036, 1039}, 1), of({1039}, 1));  // all are in [102, 104)
  ASSERT_TRUE(got);
  EXPECT_GE(got->bucket.min(), 103.5);
  EXPECT_LE(got->bucket.max(), 103.9);
}

TEST(HistogramDifference, HasNoNegativeCountsAndSamples) {
  EXPECT_FALSE(difference(of({1, 2}), of({3})));
  EXPECT_FALSE(difference(of({1, 2}), of({0})));
  EXPECT_FALSE(difference(of({1, 2}), of({2, 2})));
  EXPECT_FALSE(difference(of({1, 2}), of({1, 2})));
  EXPECT_TRUE(difference(of({1, 2, 2}), of({2, 1})));
}

TEST(HistogramDifference, KeepsTheExtremesThatAreKnown) {
  const auto got = difference(of({100, 200, 301, 300}), of({100, 200}));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->bucket.max(), 301);
  EXPECT_NEAR(got->bucket.min(), 300, 300.0 / 64);
}

TEST(HistogramDifference, JoinsTheCellsOfTheFinerOne) {
  const auto got = difference(of({64, 66, 100}, 0, 3), of({66}));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->histogram, of({64, 100}, 0, 3).histogram);
  EXPECT_EQ(got->bucket.sum(), 164);
}

// 1.01 is not among the samples, but in the cell of one.
TEST(HistogramDifference, OfOtherSamplesOfTheSameCellsIsOneThatSamplesCanHave) {
  const auto got = difference(of({100, 102, 102}, 2), of({101}, 2));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->bucket.count(), 2U);
  EXPECT_EQ(got->bucket.sum(), 2.03);
  EXPECT_GE(got->bucket.m2(), 0);
  EXPECT_LE(got->bucket.min(), got->bucket.max());
}

// The squares of these do not fit 128 bits.
TEST(HistogramDifference, OfDoublesIsRounded) {
  Distribution all;
  for (const double value : {1e30, 2e30, 3e30}) {
    all.bucket.add(Number::of(value));
    all.histogram.add(histogram_index(value));
  }
  Distribution less;
  less.bucket.add(Number::of(2e30));
  less.histogram.add(histogram_index(2e30));
  const auto got = difference(all, less);
  ASSERT_TRUE(got);
  EXPECT_NEAR(got->bucket.sum(), 4e30, 1e15);
  EXPECT_NEAR(got->bucket.m2(), 2e60, 1e46);
  EXPECT_EQ(got->bucket.min(), 1e30);
  EXPECT_EQ(got->bucket.max(), 3e30);
}

}  // namespace
}  // namespace statmill
