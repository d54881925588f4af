#include "server/query/ops/histogram_arithmetic.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace statmill {
namespace {

// One point. The samples of gauges are in no cell.
SeriesValues point_of(std::initializer_list<int64_t> samples, std::initializer_list<int64_t> of_gauges = {}) {
  Histograms histograms = absent_histograms(1);
  for (const int64_t sample : samples) {
    histograms.buckets[0].add(Number::decimal(sample, 0));
    histograms.histograms[0].add(histogram_index(static_cast<double>(sample)));
  }
  for (const int64_t sample : of_gauges) histograms.buckets[0].add(Number::decimal(sample, 0));
  return {{}, {}, std::move(histograms)};
}

TEST(HistogramArithmetic, SumsWithGaugesHaveNoDifference) {
  const auto warning_of_difference = [](const SeriesValues& all, const SeriesValues& less) {
    SeriesValues result{{}, {}, absent_histograms(1)};
    QueryNotes notes;
    const HistogramPair pair{plan::Operator::kSub, false, all, less, 0};
    const bool has_result = combine_histograms(pair, result, notes);
    return has_result ? "none" : notes.warnings.front();
  };
  EXPECT_EQ(warning_of_difference(point_of({1, 2, 2}), point_of({1})), "none");
  EXPECT_EQ(warning_of_difference(point_of({1, 2, 2}, {1000}), point_of({1})), kBucketsWithoutCells);
  EXPECT_EQ(warning_of_difference(point_of({1, 2, 2}), point_of({1}, {1000})), kBucketsWithoutCells);
  EXPECT_EQ(warning_of_difference(point_of({}, {1000}), point_of({1})), kBucketsWithoutCells);
}

}  // namespace
}  // namespace statmill
