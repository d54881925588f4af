#include "statmill/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "statmill/registry.h"

namespace statmill {
namespace {

// Follows the definition: goes through the powers of two.
size_t slow_index(unsigned g, uint64_t value) {
  if (value >> (g + 1) == 0) return static_cast<size_t>(value);
  unsigned power = g + 1;
  while (power < 63 && value >> (power + 1) != 0) ++power;
  const uint64_t width = uint64_t{1} << (power - g);
  return (size_t{power - g + 1} << g) + static_cast<size_t>((value - (uint64_t{1} << power)) / width);
}

RC_GTEST_PROP(H2, IndexFollowsTheDefinition, (uint64_t any)) {
  const auto g = *rc::gen::inRange(0u, 17u);
  const uint64_t value = any >> *rc::gen::inRange(0, 64);
  RC_ASSERT(h2::index_of(g, value) == slow_index(g, value));
}

RC_GTEST_PROP(H2, BucketsContainTheValuesWithinTheirBounds, (uint64_t any)) {
  const auto g = *rc::gen::inRange(0u, 17u);
  const uint64_t value = any >> *rc::gen::inRange(0, 64);
  const size_t index = h2::index_of(g, value);
  const uint64_t lower = h2::lower_bound(g, index);
  const uint64_t upper = h2::upper_bound(g, index);
  RC_ASSERT(lower <= value && value <= upper);
  RC_ASSERT((upper - lower) <= lower >> g);  // at most 2^-g wide
  RC_ASSERT(index < h2::bucket_count(g, 64));
  // The buckets are adjacent; the last one ends at 2^64, which is 0.
  const bool is_last = index + 1 == h2::bucket_count(g, 64);
  RC_ASSERT(upper + 1 == (is_last ? 0 : h2::lower_bound(g, index + 1)));
}

RC_GTEST_PROP(H2, CoarserBucketsAreUnionsOfNeighbors, (uint64_t value)) {
  const auto to = *rc::gen::inRange(0u, 8u);
  const auto from = *rc::gen::inRange(to, 9u);
  RC_ASSERT(h2::coarser(from, to, h2::index_of(from, value)) == h2::index_of(to, value));
}

TEST(H2, ComputesBucketCounts) {
  EXPECT_EQ(h2::bucket_count(3, 64), 496u);
  EXPECT_EQ(h2::bucket_count(5, 40), 1152u);
  EXPECT_EQ(h2::bucket_count(7, 64), 7424u);
  EXPECT_EQ(h2::upper_bound(5, h2::bucket_count(5, 64) - 1), UINT64_MAX);
}

TEST(Histogram, CountsSumAndBuckets) {
  Registry registry;
  Histogram<> histogram("h", "", &registry);
  histogram.record(7);
  histogram.record_n(1000, 3);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(histogram.sum(), 3007u);
  const std::vector<Reading> readings = registry.read();
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].grouping_power, 5u);
  ASSERT_EQ(readings[0].buckets.size(), 2u);
  EXPECT_EQ(readings[0].buckets[0].index, 7u);
  EXPECT_EQ(readings[0].buckets[1].index, h2::index_of(5, 1000));
  EXPECT_EQ(readings[0].buckets[1].count, 3u);
}

TEST(Histogram, TooLargeValuesCountInTheLastBucket) {
  Registry registry;
  Histogram<3, 10> histogram("h", "", &registry);
  histogram.record(1023);
  EXPECT_EQ(histogram.overflows(), 0u);
  histogram.record(1024);
  histogram.record_n(UINT64_MAX, 2);
  EXPECT_EQ(histogram.overflows(), 3u);
  EXPECT_EQ(histogram.count(), 4u);
  EXPECT_EQ(registry.read()[0].buckets.back().index, h2::bucket_count(3, 10) - 1);
  Histogram<3, 64> all("all", "", &registry);
  all.record(UINT64_MAX);
  EXPECT_EQ(all.overflows(), 0u);
}

TEST(Timer, RecordsOnceUnlessForgotten) {
  Registry registry;
  Histogram<> histogram("h", "", &registry);
  {
    Timer timer(histogram);
    EXPECT_GT(timer.stop(), 0u);
  }
  EXPECT_EQ(histogram.count(), 1u);
  {
    Timer timer(histogram);
    timer.forget();
  }
  EXPECT_EQ(histogram.count(), 1u);
  { Timer timer(histogram); }
  EXPECT_EQ(histogram.count(), 2u);
}

}  // namespace
}  // namespace statmill
