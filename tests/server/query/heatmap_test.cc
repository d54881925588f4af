// Heatmap rows: they contain every sample in the right range, at the requested grouping.
#include "server/query/heatmap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/storage/histograms.h"

namespace statmill {
namespace {

SparseHistogram of_values(const std::vector<double>& values) {
  SparseHistogram out;
  for (const double v : values) out.add(histogram_index(v));
  return out;
}

// Columns that have only these histograms.
SlotColumns columns_with(const std::vector<SparseHistogram>& histograms) {
  SlotColumns out(0, histograms.size(), {.histograms = true});
  for (size_t i = 0; i < histograms.size(); ++i) {
    if (!histograms[i].is_empty()) out.histograms.push_back({static_cast<Slot>(i), histograms[i]});
  }
  return out;
}

struct Row {
  double low = 0;
  double high = 0;
  std::vector<uint64_t> counts;
};

void expect_rows(const std::vector<SparseHistogram>& slots, int grouping_power,
                 const std::vector<Row>& want) {
  QueryControl control;
  const auto rows = heatmap_rows(columns_with(slots), grouping_power, control);
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ((*rows)[i].low, want[i].low) << i;
    EXPECT_EQ((*rows)[i].high, want[i].high) << i;
    EXPECT_EQ((*rows)[i].counts, want[i].counts) << i;
  }
}

TEST(Heatmap, HasOneRowPerBucketWithSamples) {
  const std::vector<SparseHistogram> slots = {of_values({0, 1, 1, 64}), {}, of_values({1, -3, 65})};
  expect_rows(slots, 5,
              {{-3.0625, -3, {0, 0, 1}}, {0, 0, {1, 0, 0}}, {1, 1.03125, {2, 0, 1}}, {64, 66, {1, 0, 1}}});
}

TEST(Heatmap, JoinsBucketsToAGroupingPower) {
  const std::vector<SparseHistogram> slots = {of_values({1, 1.9, 2, -1.5, 0}), of_values({3.99, 4})};
  expect_rows(slots, 0, {{-2, -1, {1, 0}}, {0, 0, {1, 0}}, {1, 2, {2, 0}}, {2, 4, {1, 1}}, {4, 8, {0, 1}}});
  expect_rows({of_values({1, 1.6, 1.9})}, 1, {{1, 1.5, {1}}, {1.5, 2, {2}}});
}

TEST(Heatmap, IsAsCoarseAsTheCoarsestHistogram) {
  const auto joined = SparseHistogram::from_cells({{kHistogramIndexOfOne, 3}}, 5);
  ASSERT_TRUE(joined);
  expect_rows({*joined, of_values({1.1, 5})}, 5, {{1, 2, {3, 1}}, {4, 8, {0, 1}}});
}

TEST(Heatmap, HasNoRowsWithoutSamples) {
  expect_rows({}, 5, {});
  expect_rows({{}, {}}, 5, {});
}

TEST(Heatmap, RefusesMoreCellsThanTheLimit) {
  const std::vector<SparseHistogram> slots = {of_values({1, 2, 3}), of_values({4})};
  QueryLimits limits;
  limits.heatmap_cells_max = 8;
  QueryControl enough(limits);
  EXPECT_TRUE(heatmap_rows(columns_with(slots), 5, enough));
  limits.heatmap_cells_max = 7;
  QueryControl little(limits);
  const auto refused = heatmap_rows(columns_with(slots), 5, little);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_EQ(little.refused_by(), QueryLimit::kHeatmapCells);
}

RC_GTEST_PROP(Heatmap, CountsEverySampleInItsRange, ()) {
  const auto slots = *rc::gen::container<std::vector<SparseHistogram>>(histograms());
  const int power = *rc::gen::inRange(0, kHistogramGroupingPower + 1);
  QueryLimits limits;
  limits.heatmap_cells_max = size_t{1} << 30;
  QueryControl control(limits);
  const auto rows = heatmap_rows(columns_with(slots), power, control);
  RC_ASSERT(rows.has_value());
  std::vector<std::vector<uint64_t>> left;
  for (const HeatmapRow& row : *rows) left.push_back(row.counts);
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    for (const HistogramCell& cell : slots[slot].cells()) {
      const double value = histogram_midpoint(cell.index);
      size_t r = 0;
      const auto has_it = [&](const HeatmapRow& row) {
        return value == 0 ? row.low == row.high : row.low <= value && value <= row.high;
      };
      while (r < rows->size() && !has_it((*rows)[r])) ++r;
      RC_ASSERT(r < rows->size());
      RC_ASSERT(left[r][slot] >= cell.count);
      left[r][slot] -= cell.count;
    }
  }
  for (size_t r = 0; r < rows->size(); ++r) {
    RC_ASSERT(left[r] == std::vector<uint64_t>(slots.size()));
    if (r > 0) RC_ASSERT((*rows)[r - 1].high <= (*rows)[r].low);
  }
}

}  // namespace
}  // namespace statmill
