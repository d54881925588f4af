// Histograms: the partition holds every number within its promised error, merging is a commutative monoid,
// and percentiles are what sorted samples say, to the width of a bucket.
#include "storage/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/storage/histograms.h"

namespace statmill {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallestNormal = std::numeric_limits<double>::min();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();

// Any finite double: its bits are any.
rc::Gen<double> finite_doubles() {
  return rc::gen::map(rc::gen::arbitrary<uint64_t>(), [](uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    return std::isfinite(value) ? value : std::bit_cast<double>(bits ^ uint64_t{1} << 62);
  });
}

TEST(HistogramIndex, IsThis) {
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

// As the H2 histogram of integers has them: each its own below 64, from there 32 to each power of two.
TEST(HistogramIndex, OfIntegersIsTheirH2Histogram) {
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

RC_GTEST_PROP(HistogramIndex, AscendsAsTheNumbersDo, ()) {
  const double a = *finite_doubles();
  const double b = *finite_doubles();
  RC_ASSERT(histogram_index(std::min(a, b)) <= histogram_index(std::max(a, b)));
  RC_ASSERT(std::abs(histogram_index(a)) <= kHistogramIndexMax);
  RC_ASSERT(histogram_index(-a) == -histogram_index(a));
}

RC_GTEST_PROP(HistogramIndex, EdgesAndMidpointHoldTheNumber, ()) {
  const double v = *finite_doubles();
  const HistogramIndex index = histogram_index(v);
  const double lower = std::abs(histogram_lower_edge(index));
  const double upper = std::abs(histogram_upper_edge(index));
  RC_ASSERT(lower <= std::abs(v));
  RC_ASSERT(std::abs(v) < upper || v == 0 || std::abs(v) == kLargest);
  const double error = std::abs(histogram_midpoint(index) - v);
  RC_ASSERT(error <= (std::abs(v) >= kSmallestNormal ? std::abs(v) / 64 : std::ldexp(1, -1028)));
}

TEST(HistogramIndex, EveryBucketHoldsItsEdgeAndItsMidpointAndNotTheNextEdge) {
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

TEST(SparseHistogram, KeepsCellsInOrderWhateverTheOrderOfSamples) {
  SparseHistogram h;
  EXPECT_TRUE(h.is_empty());
  for (const HistogramIndex i : {5, -3, 9, 5, 0, 9, 9}) EXPECT_TRUE(h.add(i));
  EXPECT_TRUE(h.add(7, 4));
  EXPECT_TRUE(h.add(6, 0));
  EXPECT_EQ(h, histogram_of({{-3, 1}, {0, 1}, {5, 2}, {7, 4}, {9, 3}}));
  EXPECT_EQ(h.count(), 11U);
}

TEST(SparseHistogram, RefusesWhatWouldPassItsLimitAndStaysAsItIs) {
  SparseHistogram h = histogram_of({{1, SparseHistogram::kCountMax - 1}});
  const SparseHistogram before = h;
  EXPECT_FALSE(h.add(1, 2));
  EXPECT_FALSE(h.add(2, std::numeric_limits<uint64_t>::max()));
  EXPECT_FALSE(h.merge(histogram_of({{1, 1}, {2, 1}})));
  EXPECT_EQ(h, before);
  EXPECT_TRUE(h.add(2, 1));
  EXPECT_EQ(h.count(), SparseHistogram::kCountMax);
}

TEST(SparseHistogram, IsMadeOnlyOfCellsThatItCouldHold) {
  using Cells = std::vector<SparseHistogram::Cell>;
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, 0}})) << "no samples";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, 1}, {1, 1}})) << "twice";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{2, 1}, {1, 1}})) << "out of order";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{kHistogramIndexMax + 1, 1}})) << "out of range";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{-kHistogramIndexMax - 1, 1}})) << "out of range";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, SparseHistogram::kCountMax}, {2, 1}}))
      << "too many samples";
  EXPECT_TRUE(SparseHistogram::from_cells(Cells{{-kHistogramIndexMax, 1}, {kHistogramIndexMax, 1}}));
  EXPECT_EQ(SparseHistogram::from_cells(Cells{}), SparseHistogram());
}

SparseHistogram merged(SparseHistogram a, const SparseHistogram& b) {
  RC_ASSERT(a.merge(b));
  return a;
}

RC_GTEST_PROP(SparseHistogram, MergesAsACommutativeMonoid, ()) {
  const SparseHistogram a = *histograms();
  const SparseHistogram b = *histograms();
  const SparseHistogram c = *histograms();
  RC_ASSERT(merged(a, b) == merged(b, a));
  RC_ASSERT(merged(merged(a, b), c) == merged(a, merged(b, c)));
  RC_ASSERT(merged(a, SparseHistogram()) == a);
  RC_ASSERT(merged(SparseHistogram(), a) == a);
  RC_ASSERT(merged(a, b).count() == a.count() + b.count());
}

RC_GTEST_PROP(SparseHistogram, MergesAsItsSamplesAddUp, ()) {
  const SparseHistogram a = *histograms();
  const SparseHistogram b = *histograms();
  SparseHistogram both = a;
  for (const SparseHistogram::Cell& cell : b.cells()) RC_ASSERT(both.add(cell.index, cell.count));
  RC_ASSERT(merged(a, b) == both);
  RC_ASSERT(SparseHistogram::from_cells({both.cells().begin(), both.cells().end()}) == both);
}

TEST(SparseHistogram, MergesWithItself) {
  SparseHistogram h = histogram_of({{-3, 1}, {5, 2}});
  EXPECT_TRUE(h.merge(h));
  EXPECT_EQ(h, histogram_of({{-3, 2}, {5, 4}}));
}

RC_GTEST_PROP(SparseHistogram, PercentileIsTheSampleOfNearestRank, ()) {
  auto samples = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(-100'000, 100'000), [](int v) { return v / 8.0; }), finite_doubles())));
  SparseHistogram h;
  for (const double v : samples) RC_ASSERT(h.add(histogram_index(v)));
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<int>(samples.size());
  const int rank = *rc::gen::inRange(1, n + 1);
  const double want = samples[static_cast<size_t>(rank - 1)];
  const double got = h.percentile(static_cast<double>(rank) / n, samples.front(), samples.back());
  RC_ASSERT(std::abs(got - want) <= std::max(std::abs(want) / 32, kSmallestNormal));
  RC_ASSERT(got >= samples.front() && got <= samples.back());
}

TEST(SparseHistogram, PercentilesOfHundredIntegersAreThese) {
  SparseHistogram h;
  for (int i = 1; i <= 100; ++i) EXPECT_TRUE(h.add(histogram_index(i)));
  EXPECT_EQ(h.percentile(0, 1, 100), 1);
  EXPECT_EQ(h.percentile(1, 1, 100), 100);
  EXPECT_EQ(h.percentile(0.99, 1, 100), 99);  // the midpoint of [98, 100)
  // 0.07 * 100 is a little more than 7 in doubles; it is not the 8th that is asked for.
  EXPECT_EQ(h.percentile(0.07, 1, 100), histogram_midpoint(histogram_index(7)));
  EXPECT_EQ(h.percentile(0.071, 1, 100), histogram_midpoint(histogram_index(8)));
}

TEST(SparseHistogram, PercentileStaysWithinTheExactBounds) {
  const SparseHistogram h = histogram_of({{histogram_index(993), 3}});  // [992, 1008)
  EXPECT_EQ(h.percentile(0.5, 993, 1007), 1000);
  EXPECT_EQ(h.percentile(0.5, 993, 995), 995);
  EXPECT_EQ(h.percentile(0.5, 1005, 1007), 1005);
}

}  // namespace
}  // namespace statmill
