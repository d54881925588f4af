// Every number lies in its bucket, and the bucket's midpoint is within the promised error.
#include "proto/histogram_partition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/proto/finite_doubles.h"

namespace statmill {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallestNormal = std::numeric_limits<double>::min();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

TEST(HistogramIndex, HasExpectedValues) {
  struct Case {
    double value;
    HistogramIndex want;
  };
  for (const Case& c : {Case{0.0, 0},
                        {-0.0, 0},
                        {kSmallest, 1},
                        {-kSmallest, -1},
                        {1.0, kHistogramIndexOfOne},
                        {-1.0, -kHistogramIndexOfOne},
                        {1.03125, kHistogramIndexOfOne + 1},
                        {1.03124, kHistogramIndexOfOne},
                        {2.0, kHistogramIndexOfOne + 32},
                        {kLargest, kHistogramIndexMax},
                        {-kLargest, -kHistogramIndexMax}}) {
    EXPECT_EQ(histogram_index(c.value), c.want) << c.value;
  }
}

// As in H2 histograms of integers: one bucket per integer below 64, then 32 buckets per power of two.
TEST(HistogramIndex, PutsIntegersIntoH2Buckets) {
  for (int i = 0; i < 64; ++i) EXPECT_NE(histogram_index(i), histogram_index(i + 1)) << i;
  for (int power = 6; power < 50; ++power) {
    const double width = std::ldexp(1, power - 5);
    const HistogramIndex first = histogram_index(std::ldexp(1, power));
    for (int i = 0; i < 32; ++i) {
      const double edge = std::ldexp(1, power) + i * width;
      EXPECT_EQ(histogram_index(edge), first + i);
      EXPECT_EQ(histogram_index(edge + width - 1), first + i);
      EXPECT_EQ(histogram_lower_edge(first + i), edge);
      EXPECT_EQ(histogram_upper_edge(first + i), edge + width);
    }
  }
}

RC_GTEST_PROP(HistogramIndex, SortsLikeTheNumbers, ()) {
  const double a = *finite_doubles();
  const double b = *finite_doubles();
  RC_ASSERT(histogram_index(std::min(a, b)) <= histogram_index(std::max(a, b)));
  RC_ASSERT(std::abs(histogram_index(a)) <= kHistogramIndexMax);
  RC_ASSERT(histogram_index(-a) == -histogram_index(a));
}

RC_GTEST_PROP(HistogramIndex, EdgesEncloseTheNumberAndTheMidpointIsNear, ()) {
  const double v = *finite_doubles();
  const HistogramIndex index = histogram_index(v);
  const double lower = std::abs(histogram_lower_edge(index));
  const double upper = std::abs(histogram_upper_edge(index));
  RC_ASSERT(lower <= std::abs(v));
  RC_ASSERT(std::abs(v) < upper || v == 0 || std::abs(v) == kLargest);
  const double error = std::abs(histogram_midpoint(index) - v);
  RC_ASSERT(error <= (std::abs(v) >= kSmallestNormal ? std::abs(v) / 64 : std::ldexp(1, -1028)));
}

TEST(HistogramIndex, JoinedIndexIsThatOfTheFirstBucket) {
  for (const int power : {0, 1, 5, kJoinedPowerMax}) {
    HistogramIndex last = 0;
    for (HistogramIndex i = 1; i <= kHistogramIndexMax; ++i) {
      const HistogramIndex first = joined_index(i, power);
      ASSERT_EQ(first, last == 0 || i == last + (1 << power) ? i : last);
      ASSERT_EQ(joined_index(-i, power), -first);
      last = first;
      ASSERT_LE(histogram_lower_edge(first), histogram_lower_edge(i));
      ASSERT_GE(histogram_upper_edge(first, power), histogram_upper_edge(i));
      ASSERT_EQ(joined_index(histogram_index(histogram_midpoint(first, power)), power), first);
    }
  }
  EXPECT_EQ(joined_index(0, kJoinedPowerMax), 0);
  EXPECT_EQ(histogram_upper_edge(kHistogramIndexOfOne, 5), 2);
  EXPECT_EQ(histogram_midpoint(kHistogramIndexOfOne, 5), 1.5);
}

TEST(HistogramIndex, EveryBucketContainsItsLowerEdgeAndMidpointButNotItsUpperEdge) {
  for (HistogramIndex i = 1; i <= kHistogramIndexMax; ++i) {
    // The first bucket's lower edge is zero, which has a bucket of its own.
    ASSERT_EQ(histogram_index(histogram_lower_edge(i)), i == 1 ? 0 : i);
    ASSERT_EQ(histogram_index(histogram_midpoint(i)), i);
    ASSERT_EQ(histogram_index(histogram_midpoint(-i)), -i);
    ASSERT_EQ(histogram_index(histogram_upper_edge(i)), std::min(i + 1, kHistogramIndexMax));
    ASSERT_EQ(histogram_upper_edge(-i), -histogram_upper_edge(i));
  }
  EXPECT_EQ(histogram_lower_edge(0), 0);
  EXPECT_EQ(histogram_upper_edge(0), 0);
  EXPECT_EQ(histogram_midpoint(0), 0);
  EXPECT_EQ(histogram_upper_edge(kHistogramIndexMax), kLargest);
}

}  // namespace
}  // namespace statmill
