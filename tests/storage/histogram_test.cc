#include "storage/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/proto/finite_doubles.h"
#include "tests/storage/histograms.h"

namespace statmill {
namespace {

constexpr double kSmallestNormal = std::numeric_limits<double>::min();

TEST(SparseHistogram, KeepsCellsSortedWhateverTheOrderOfSamples) {
  SparseHistogram h;
  EXPECT_TRUE(h.is_empty());
  for (const HistogramIndex i : {5, -3, 9, 5, 0, 9, 9}) h.add(i);
  h.add(7, 4);
  h.add(6, 0);
  EXPECT_EQ(h, histogram_of({{-3, 1}, {0, 1}, {5, 2}, {7, 4}, {9, 3}}));
  EXPECT_EQ(h.count(), 11U);
}

TEST(SparseHistogram, CountsSaturate) {
  SparseHistogram h = histogram_of({{1, SparseHistogram::kCountMax - 3}});
  h.add(2, 1);
  h.merge(histogram_of({{1, 1}, {4, 9}}));
  EXPECT_EQ(h, histogram_of({{1, SparseHistogram::kCountMax - 2}, {2, 1}, {4, 1}}));
  EXPECT_EQ(h.count(), SparseHistogram::kCountMax);
  h.add(2, std::numeric_limits<uint64_t>::max());
  h.merge(h);
  EXPECT_EQ(h, histogram_of({{1, SparseHistogram::kCountMax - 2}, {2, 1}, {4, 1}}));
}

TEST(SparseHistogram, RefusesImpossibleCells) {
  using Cells = std::vector<SparseHistogram::Cell>;
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, 0}})) << "no samples";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, 1}, {1, 1}})) << "twice";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{2, 1}, {1, 1}})) << "out of order";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{kHistogramIndexMax + 1, 1}})) << "out of range";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{-kHistogramIndexMax - 1, 1}})) << "out of range";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{1, SparseHistogram::kCountMax}, {2, 1}}))
      << "too many samples";
  EXPECT_FALSE(SparseHistogram::from_cells(Cells{{2, 1}}, 1)) << "not the first of two";
  EXPECT_TRUE(SparseHistogram::from_cells(Cells{{-1, 1}, {0, 1}, {3, 1}}, 1));
  Cells many;
  for (HistogramIndex i = 0; i <= static_cast<HistogramIndex>(SparseHistogram::kCellsMax); ++i)
    many.push_back({i, 1});
  EXPECT_FALSE(SparseHistogram::from_cells(many)) << "too many";
  EXPECT_TRUE(SparseHistogram::from_cells(Cells{{-kHistogramIndexMax, 1}, {kHistogramIndexMax, 1}}));
  EXPECT_EQ(SparseHistogram::from_cells(Cells{}), SparseHistogram());
}

SparseHistogram merged(SparseHistogram a, const SparseHistogram& b) {
  a.merge(b);
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

RC_GTEST_PROP(SparseHistogram, MergingEqualsAddingTheSamples, ()) {
  const SparseHistogram a = *histograms();
  const SparseHistogram b = *histograms();
  SparseHistogram both = a;
  for (const SparseHistogram::Cell& cell : b.cells()) both.add(cell.index, cell.count);
  RC_ASSERT(merged(a, b) == both);
  RC_ASSERT(SparseHistogram::from_cells({both.cells().begin(), both.cells().end()}) == both);
}

// Runs of neighbours, up to the limit of cells and beyond.
rc::Gen<SparseHistogram> wide_histograms() {
  return rc::gen::apply(
      [](HistogramIndex first, int step, int n) {
        SparseHistogram out;
        for (int i = 0; i < n && first + i * step <= kHistogramIndexMax; ++i)
          out.add(first + i * step, static_cast<uint64_t>(1 + i % 3));
        return out;
      },
      rc::gen::inRange(-kHistogramIndexMax, kHistogramIndexMax), rc::gen::inRange(1, 20),
      rc::gen::inRange(1, 3000));
}

// Whatever was joined on the way, and in any order.
RC_GTEST_PROP(SparseHistogram, IsACommutativeMonoidBeyondItsLimitOfCells, ()) {
  const SparseHistogram a = *wide_histograms();
  const SparseHistogram b = *wide_histograms();
  const SparseHistogram c = *rc::gen::oneOf(wide_histograms(), histograms());
  RC_ASSERT(merged(a, b) == merged(b, a));
  RC_ASSERT(merged(merged(a, b), c) == merged(a, merged(b, c)));
  RC_ASSERT(merged(a, SparseHistogram()) == a);
  RC_ASSERT(merged(SparseHistogram(), a) == a);
  const SparseHistogram all = merged(merged(a, b), c);
  RC_ASSERT(all.cells().size() <= SparseHistogram::kCellsMax);
  RC_ASSERT(all.count() == a.count() + b.count() + c.count());
}

TEST(SparseHistogram, JoinsNeighboursOnlyIfNecessary) {
  SparseHistogram h;
  const auto limit = static_cast<HistogramIndex>(SparseHistogram::kCellsMax);
  for (HistogramIndex i = 1; i <= limit; ++i) h.add(i);
  EXPECT_EQ(h.joined_power(), 0);
  EXPECT_EQ(h.cells().size(), SparseHistogram::kCellsMax);
  h.add(limit + 1);
  EXPECT_EQ(h.joined_power(), 1);
  EXPECT_EQ(h.cells().size(), SparseHistogram::kCellsMax / 2 + 1);
  EXPECT_EQ(h.cells()[1], (HistogramCell{3, 2}));
  h.add(4);
  EXPECT_EQ(h.cells()[1], (HistogramCell{3, 3}));
}

TEST(SparseHistogram, AHistogramOfAllNumbersFitsTheLimit) {
  SparseHistogram h;
  for (HistogramIndex i = -kHistogramIndexMax; i <= kHistogramIndexMax; ++i) h.add(i);
  EXPECT_EQ(h.count(), 2U * kHistogramIndexMax + 1);
  EXPECT_EQ(h.joined_power(), kJoinedPowerMax);
  EXPECT_LE(h.cells().size(), SparseHistogram::kCellsMax);
}

TEST(SparseHistogram, APercentileOfJoinedBucketsIsInTheirMiddle) {
  const auto h = SparseHistogram::from_cells({{joined_index(histogram_index(64), 5), 3}}, 5);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->percentile(0.5, 65, 127), 96);
}

TEST(SparseHistogram, MergesWithItself) {
  SparseHistogram h = histogram_of({{-3, 1}, {5, 2}});
  h.merge(h);
  EXPECT_EQ(h, histogram_of({{-3, 2}, {5, 4}}));
}

RC_GTEST_PROP(SparseHistogram, PercentileIsTheSampleOfNearestRank, ()) {
  auto samples = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(-100'000, 100'000), [](int v) { return v / 8.0; }), finite_doubles())));
  SparseHistogram h;
  for (const double v : samples) h.add(histogram_index(v));
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<int>(samples.size());
  const int rank = *rc::gen::inRange(1, n + 1);
  const double want = samples[static_cast<size_t>(rank - 1)];
  const double got = h.percentile(static_cast<double>(rank) / n, samples.front(), samples.back());
  RC_ASSERT(std::abs(got - want) <= std::max(std::abs(want) / 32, kSmallestNormal));
  RC_ASSERT(got >= samples.front() && got <= samples.back());
}

TEST(SparseHistogram, PercentilesOfTheIntegersTo100) {
  SparseHistogram h;
  for (int i = 1; i <= 100; ++i) h.add(histogram_index(i));
  EXPECT_EQ(h.percentile(0, 1, 100), 1);
  EXPECT_EQ(h.percentile(1, 1, 100), 100);
  EXPECT_EQ(h.percentile(0.99, 1, 100), 99);  // the midpoint of [98, 100)
  // In doubles 0.07 * 100 is slightly more than 7; the rank must still be 7.
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
