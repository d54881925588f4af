#include "server/query/ops/window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "storage/bucket_check.h"
#include "storage/rollup.h"
#include "tests/storage/buckets.h"
#include "tests/storage/histograms.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

constexpr Parts kAll{true, true, true};

SlotColumns columns_of(Slot begin, size_t size, const rc::Gen<Bucket>& buckets, Parts parts,
                       Combine combine = Combine::kMerge) {
  SlotColumns columns(begin, size, parts);
  const auto end = begin + static_cast<Slot>(size);
  for (const SlotBucket& b : *slot_buckets(begin, end, buckets)) {
    columns.add(static_cast<size_t>(b.slot - begin), b.bucket, combine);
    if (parts.histograms) columns.histograms.push_back({b.slot, *some_histograms()});
  }
  if (*rc::gen::inRange(0, 4) == 0) {  // no gaps
    for (size_t i = 0; i < size; ++i) {
      if (!columns.present[i]) columns.add(i, Bucket::of(Number::decimal(7, 1)), combine);
    }
  }
  return columns;
}

// Sliding, tiled and irregular windows.
std::vector<SlotWindow> any_windows(uint32_t size) {
  std::vector<SlotWindow> windows;
  const auto length = *rc::gen::inRange<uint32_t>(0, 12);
  const auto step = *rc::gen::inRange<uint32_t>(1, 12);
  const bool irregular = *rc::gen::arbitrary<bool>();
  SlotWindow w;
  while (windows.size() < 60) {
    if (irregular) {
      w.begin += *rc::gen::inRange<uint32_t>(0, 4);
      w.end = std::max({w.begin, w.end, w.begin + *rc::gen::inRange<uint32_t>(0, 9)});
    } else {
      w.begin = static_cast<uint32_t>(windows.size()) * step;
      w.end = w.begin + length;
    }
    if (w.end > size) break;
    windows.push_back(w);
  }
  return windows;
}

void check_windows(const SlotColumns& columns, const std::vector<SlotWindow>& windows, bool exact) {
  const SlotColumns merged = merge_windows(columns, windows);
  check_form(merged);
  RC_ASSERT(merged.begin == 0 && merged.size() == windows.size());
  std::vector<SlotHistogram> histograms;
  for (size_t w = 0; w < windows.size(); ++w) {
    Bucket naive;
    double magnitude = 0;
    for (size_t i = windows[w].begin; i < windows[w].end; ++i) {
      const Bucket bucket = columns.bucket_at(i);
      naive.merge(bucket);
      magnitude += std::abs(bucket.sum());
    }
    const Bucket got = merged.bucket_at(w);
    RC_ASSERT(merged.present[w] == !naive.is_empty());
    if (exact) {
      RC_ASSERT(got == naive);
    } else {  // doubles: another order of merging rounds differently
      RC_ASSERT(got.count() == naive.count());
      RC_ASSERT(std::abs(got.sum() - naive.sum()) <= 1e-9 * magnitude);
      RC_ASSERT(got.min() == naive.min());
      RC_ASSERT(got.max() == naive.max());
    }
    SparseHistogram histogram;
    for (const SlotHistogram& h : columns.histograms) {
      const Slot element = h.slot - columns.begin;
      if (element >= windows[w].begin && element < windows[w].end) histogram.merge(h.histogram);
    }
    if (!histogram.is_empty()) histograms.push_back({static_cast<Slot>(w), histogram});
  }
  RC_ASSERT(merged.histograms == histograms);
}

RC_GTEST_PROP(MergeWindows, EqualsMergingTheBucketsOfEachWindow, ()) {
  const SlotColumns columns = columns_of(-5, 100, exact_buckets(), *any_parts());
  check_windows(columns, any_windows(100), true);
}

RC_GTEST_PROP(MergeWindows, EqualsMergingTheObservationsOfEachWindow, ()) {
  const auto one = rc::gen::map(small_decimals(), [](const Number& n) { return Bucket::of(n); });
  check_windows(columns_of(1000, 130, one, *any_parts()), any_windows(130), true);
}

RC_GTEST_PROP(MergeWindows, IsAsExactAsBucketsWhateverTheNumbers, ()) {
  check_windows(columns_of(0, 60, any_buckets(), kAll), any_windows(60), false);
}

RC_GTEST_PROP(MergeWindows, OfMixedColumnsEqualsThatOfDecimals, ()) {
  SlotColumns columns = columns_of(0, 60, exact_buckets(), kAll);
  columns.make_mixed();
  check_windows(columns, any_windows(60), true);
}

SlotColumns row(const std::vector<int64_t>& integers) {
  SlotColumns columns(0, integers.size(), {true, true, false});
  for (size_t i = 0; i < integers.size(); ++i) columns.add_single(i, integers[i], 0, Combine::kMerge);
  return columns;
}

TEST(MergeWindows, ASlotPerWindowStaysAnObservation) {
  const SlotColumns merged = merge_windows(row({1, 2, 3}), std::vector<SlotWindow>{{1, 2}, {2, 2}, {2, 3}});
  EXPECT_TRUE(merged.is_single);
  EXPECT_EQ(merged.sums, (std::vector<int64_t>{2, 0, 3}));
  EXPECT_FALSE(merged.present[1]);
}

TEST(MergeWindows, ASumThatDoesNotFitMakesTheResultMixed) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const SlotColumns merged =
      merge_windows(row({kMax, kMax, -kMax, 5}), std::vector<SlotWindow>{{0, 2}, {2, 4}});
  EXPECT_TRUE(merged.is_mixed);
  EXPECT_EQ(merged.bucket_at(0).sum(), 0x1p64);
  EXPECT_EQ(merged.bucket_at(1).sum(), static_cast<double>(-kMax + 5));
}

TEST(MergeWindows, ASumFitsThoughAPartOfItDoesNot) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  SlotColumns columns(0, 3, {});  // without squares, which would not fit
  for (const size_t i : {size_t{0}, size_t{1}}) columns.add_single(i, kMax, 0, Combine::kMerge);
  columns.add_single(2, -kMax, 0, Combine::kMerge);
  const SlotColumns merged = merge_windows(columns, std::vector<SlotWindow>{{0, 3}});
  EXPECT_FALSE(merged.is_mixed);
  EXPECT_EQ(merged.sums[0], kMax);
}

TEST(MergeWindows, SquaresThatDoNotFitMakeTheResultMixed) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const SlotColumns merged = merge_windows(row({kMax, -kMax, kMax}), std::vector<SlotWindow>{{0, 3}});
  EXPECT_TRUE(merged.is_mixed);
  EXPECT_EQ(merged.bucket_at(0).count(), 3U);
  EXPECT_EQ(merged.bucket_at(0).max(), static_cast<double>(kMax));
}

RC_GTEST_PROP(RollUp, OfColumnsEqualsThatOfBuckets, ()) {
  const Tier from{10, 0, 2160};
  const Tier to{*rc::gen::element<int64_t>(20, 300), 0, 288};
  const Kind kind = *rc::gen::element(Kind::kGauge, Kind::kEvent, Kind::kDistribution, Kind::kCounter);
  const Parts parts{true, true, kind == Kind::kDistribution};
  const auto begin = *rc::gen::inRange<Slot>(0, 70);
  const SlotColumns fine =
      columns_of(begin, *rc::gen::inRange<size_t>(1, 100), exact_buckets(), parts, combine_of(kind));
  std::vector<SlotBucket> buckets;
  for (size_t i = 0; i < fine.size(); ++i) {
    if (fine.present[i]) buckets.push_back({fine.begin + static_cast<Slot>(i), fine.bucket_at(i)});
  }
  const SlotColumns coarse = roll_up(fine, from, to, kind);
  std::vector<SlotBucket> got;
  for (size_t i = 0; i < coarse.size(); ++i) {
    if (coarse.present[i]) got.push_back({coarse.begin + static_cast<Slot>(i), coarse.bucket_at(i)});
  }
  RC_ASSERT(got == roll_up(buckets, from, to, kind));
  RC_ASSERT(coarse.histograms == roll_up(fine.histograms, from, to));
}

}  // namespace
}  // namespace statmill
