#include "storage/histogram_accumulator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace statmill {
namespace {

using Cells = std::vector<SparseHistogram::Cell>;

// Few samples at or around a bucket, sometimes joined, sometimes near the limit of samples.
rc::Gen<SparseHistogram> histograms(HistogramIndex spread, bool has_rare_ones = true) {
  return rc::gen::exec([spread, has_rare_ones] {
    SparseHistogram out;
    const bool is_joined = has_rare_ones && *rc::gen::inRange(0, 20) == 0;
    if (is_joined) {
      const HistogramIndex index = joined_index(*rc::gen::inRange<HistogramIndex>(-spread, spread), 2);
      out = *SparseHistogram::from_cells({{index, 3}}, 2);
    }
    for (int n = *rc::gen::inRange(0, 6); n > 0; --n) {
      const uint64_t count =
          has_rare_ones && *rc::gen::inRange(0, 30) == 0 ? SparseHistogram::kCountMax / 2 : 2;
      out.add(*rc::gen::inRange<HistogramIndex>(-spread, spread), count);
    }
    return out;
  });
}

RC_GTEST_PROP(HistogramAccumulator, AddsAsMergingDoes, ()) {
  const HistogramIndex spread = *rc::gen::element<HistogramIndex>(40, 1000, 3000, 60'000);
  HistogramAccumulator sum;
  SparseHistogram want;
  for (const SparseHistogram& histogram :
       *rc::gen::container<std::vector<SparseHistogram>>(histograms(spread))) {
    sum.add(histogram);
    want.merge(histogram);
    RC_ASSERT(sum.is_empty() == want.is_empty());
    RC_ASSERT(sum.histogram() == want);
  }
}

RC_GTEST_PROP(HistogramAccumulator, SubtractingTakesAddedOnesAway, ()) {
  const auto kept = *rc::gen::container<std::vector<SparseHistogram>>(histograms(1000, false));
  const auto taken = *rc::gen::container<std::vector<SparseHistogram>>(histograms(1000, false));
  HistogramAccumulator sum;
  SparseHistogram want;
  for (const SparseHistogram& histogram : taken) sum.add(histogram);
  for (const SparseHistogram& histogram : kept) {
    sum.add(histogram);
    want.merge(histogram);
  }
  RC_ASSERT(sum.can_subtract());
  for (const SparseHistogram& histogram : taken) sum.subtract(histogram);
  RC_ASSERT(sum.histogram() == want);
  sum.clear();
  RC_ASSERT(sum.is_empty());
  RC_ASSERT(sum.histogram().is_empty());
}

TEST(HistogramAccumulator, JoinsWhenThereAreTooManyCells) {
  HistogramAccumulator sum;
  SparseHistogram want;
  for (HistogramIndex begin = 100; begin < 3000; begin += 1000) {
    Cells cells;
    for (HistogramIndex i = begin; i < begin + 1000; ++i) cells.push_back({i, 1});
    const SparseHistogram histogram = *SparseHistogram::from_cells(cells);
    sum.add(histogram);
    want.merge(histogram);
  }
  EXPECT_TRUE(sum.can_subtract());
  EXPECT_EQ(want.joined_power(), 1);
  EXPECT_EQ(sum.histogram(), want);
}

TEST(HistogramAccumulator, IsClearedOfAnything) {
  HistogramAccumulator sum;
  sum.add(*SparseHistogram::from_cells({{-60'000, 1}, {60'000, 1}}));
  EXPECT_FALSE(sum.can_subtract());
  sum.clear();
  EXPECT_TRUE(sum.is_empty());
  sum.add(*SparseHistogram::from_cells({{5, 1}}));
  EXPECT_TRUE(sum.can_subtract());
  EXPECT_EQ(sum.histogram(), *SparseHistogram::from_cells({{5, 1}}));
}

}  // namespace
}  // namespace statmill
