#include "proto/foreign_histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace statmill {
namespace {

Number number(double value) { return Number::shortest(value); }

ForeignHistogram with_bounds(std::vector<double> bounds, const std::vector<uint64_t>& counts) {
  ForeignHistogram histogram;
  histogram.bounds = std::move(bounds);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) histogram.buckets.push_back({static_cast<BucketNumber>(i), counts[i]});
    histogram.count += counts[i];
  }
  return histogram;
}

ForeignHistogram exponential(int32_t scale, std::vector<SentBucket> buckets) {
  ForeignHistogram histogram;
  histogram.is_exponential = true;
  histogram.scale = scale;
  histogram.buckets = std::move(buckets);
  for (const SentBucket& bucket : histogram.buckets) histogram.count += bucket.count;
  return histogram;
}

BucketNumber positive(int64_t index) { return exponential_bucket(index, false); }
BucketNumber negative(int64_t index) { return exponential_bucket(index, true); }

TEST(ForeignHistogram, ABucketWithBoundsIsInTheCellBelowItsUpperEdge) {
  const ForeignHistogram histogram = with_bounds({-5, 0, 0.005, 10, 11.1}, {});
  struct Case {
    BucketNumber bucket;
    HistogramIndex cell;
    std::string why;
  };
  const std::vector<Case> table = {
      {0, histogram_index(-5), "the cell whose edge -5 is, which has -5 itself"},
      {1, 0, "nothing is between the cell of zero and zero"},
      {2, histogram_index(0.005), "0.005 is inside a cell"},
      {3, histogram_index(9.99), "10 is the edge of a cell, which has what is above"},
      {4, histogram_index(11.1), ""},
      {5, histogram_index(11.1) + 1, "above the last bound"},
  };
  for (const Case& one : table) EXPECT_EQ(cell_of(histogram, one.bucket), one.cell) << one.bucket << one.why;
  EXPECT_EQ(cell_of(with_bounds({10}, {}), 1), histogram_index(10)) << "the cell above the edge";
  EXPECT_EQ(cell_of(with_bounds({-5}, {}), 1), histogram_index(-5) + 1);
  EXPECT_EQ(cell_of(with_bounds({0}, {}), 1), 1);
  EXPECT_EQ(cell_of(with_bounds({std::numeric_limits<double>::max()}, {}), 1), kHistogramIndexMax);
}

TEST(ForeignHistogram, AboveTheLastBoundTheGreatestSampleSaysWhere) {
  ForeignHistogram histogram = with_bounds({10}, {});
  histogram.max = number(5000);
  EXPECT_EQ(cell_of(histogram, 1), histogram_index(5000));
  histogram.max = number(3);  // of another bucket
  EXPECT_EQ(cell_of(histogram, 1), histogram_index(10));
}

// For each bound, the cells up to it have as many samples as the buckets up to it.
RC_GTEST_PROP(ForeignHistogram, TheNumberUpToEachBoundStaysExact, ()) {
  std::vector<double> bounds;
  double bound = *rc::gen::inRange(-1000, 1000);
  for (int i = *rc::gen::inRange(1, 20); i > 0; --i) {
    bounds.push_back(bound / 8);
    bound += 1 + std::abs(bound) / 8;  // at least four cells of ours
  }
  std::vector<uint64_t> counts;
  for (size_t i = 0; i <= bounds.size(); ++i) counts.push_back(*rc::gen::inRange<uint64_t>(0, 5));
  ForeignHistogram histogram = with_bounds(bounds, counts);
  RC_PRE(histogram.count > 0);
  Batch batch;
  const ReadyHistogram ready = ready_histogram(histogram, batch);
  uint64_t up_to = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    up_to += counts[i];
    uint64_t in_cells = 0;
    for (const HistogramCell& cell : ready.ready->cells) {
      const double low = std::min(histogram_lower_edge(cell.index), histogram_upper_edge(cell.index));
      if (low < bounds[i] || cell.index == histogram_index(bounds[i]) * static_cast<int>(bounds[i] == 0))
        in_cells += cell.count;
    }
    RC_ASSERT(in_cells == up_to);
  }
}

TEST(ForeignHistogram, AnExponentialBucketIsInTheCellOfItsGeometricMiddle) {
  struct Case {
    int32_t scale;
    BucketNumber bucket;
    double middle;
  };
  const std::vector<Case> table = {
      {0, positive(0), std::sqrt(2.0)},
      {0, negative(0), -std::sqrt(2.0)},
      {0, positive(3), 8 * std::sqrt(2.0)},
      {3, positive(8), 2 * std::exp2(1.0 / 16)},
      {-1, positive(-1), 0.5},
      {20, positive(-1), std::exp2(-std::ldexp(0.5, -20))},
      {0, positive(1 << 30), 1.797e308},
      {0, positive(-(1 << 30)), 4.9e-324},
      {-10, positive(0), std::exp2(512)},
      {5, 0, 0},
  };
  for (const Case& one : table) {
    EXPECT_EQ(cell_of(exponential(one.scale, {{one.bucket, 1}}), one.bucket), histogram_index(one.middle))
        << one.scale << " " << one.middle;
  }
}

TEST(ForeignHistogram, CellsAscendAndHaveAllSamples) {
  Batch batch;
  const ForeignHistogram histogram = exponential(8, {{negative(3), 1},
                                                     {negative(2), 2},
                                                     {negative(-300), 4},
                                                     {0, 8},
                                                     {positive(0), 16},
                                                     {positive(1), 32}});
  const ReadyHistogram ready = ready_histogram(histogram, batch);
  uint64_t count = 0;
  HistogramIndex before = -kHistogramIndexMax - 1;
  for (const HistogramCell& cell : ready.ready->cells) {
    EXPECT_LT(before, cell.index);
    before = cell.index;
    count += cell.count;
  }
  EXPECT_EQ(count, 63U);
  EXPECT_EQ(ready.ready->cells.size(), 4U);
  EXPECT_EQ(ready.ready->joined_power, 0);
}

TEST(ForeignHistogram, WhatWasSentIsKept) {
  ForeignHistogram histogram = with_bounds({10, 20}, {1, 2, 3});
  histogram.sum = number(123.25);
  histogram.min = number(2);
  histogram.max = number(57);
  Batch batch;
  const ReadyHistogram ready = ready_histogram(histogram, batch);
  EXPECT_EQ(ready.sum, number(123.25));
  EXPECT_EQ(ready.ready->count, 6U);
  EXPECT_EQ(ready.ready->min, number(2));
  EXPECT_EQ(ready.ready->max, number(57));
  EXPECT_EQ(ready.ready->cells.back().index, histogram_index(57));
}

TEST(ForeignHistogram, ExtremesThatWereNotSentLeaveRoomForTheMean) {
  Batch batch;
  ForeignHistogram histogram = with_bounds({10, 20}, {0, 1, 2});
  histogram.sum = number(3000);
  ReadyHistogram ready = ready_histogram(histogram, batch);
  EXPECT_EQ(ready.ready->min, number(10));
  EXPECT_GT(ready.ready->max.value(), 1000);
  EXPECT_LT(ready.ready->max.value(), 1002);
  histogram = with_bounds({}, {3});
  histogram.sum = number(10);
  ready = ready_histogram(histogram, batch);
  EXPECT_LT(ready.ready->min.value() * 3, 10);
  EXPECT_GT(ready.ready->max.value() * 3, 10);
  ASSERT_EQ(ready.ready->cells.size(), 1U);
  EXPECT_EQ(ready.ready->cells[0], (HistogramCell{histogram_index(10.0 / 3), 3}));
}

TEST(ForeignHistogram, ASumThatWasNotSentIsEstimatedWithinTheExtremes) {
  Batch batch;
  ForeignHistogram histogram = with_bounds({-10, 10}, {0, 4, 0});
  EXPECT_EQ(ready_histogram(histogram, batch).sum, number(0));
  histogram.min = number(3);
  histogram.max = number(4);
  EXPECT_EQ(ready_histogram(histogram, batch).sum, number(12));
  const ForeignHistogram wide = exponential(-10, {{negative(1), 1000}, {positive(1), 1000}});
  EXPECT_EQ(ready_histogram(wide, batch).sum, number(0)) << "infinity less infinity";
}

TEST(ForeignHistogram, RefusesWhatContradictsItself) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(check_histogram(with_bounds({1, 2}, {1, 0, 3})).is_accepted());
  EXPECT_TRUE(check_histogram(with_bounds({}, {})).is_accepted());
  for (const std::vector<double>& bounds :
       {std::vector<double>{2, 1}, {1, 1}, {1, infinity}, {-infinity}, {std::nan("")}})
    EXPECT_EQ(check_histogram(with_bounds(bounds, {1})).reason(), Refusal::kBadBucket);
  ForeignHistogram histogram = with_bounds({1, 2}, {1, 0, 3});
  histogram.count = 5;
  EXPECT_EQ(check_histogram(histogram).reason(), Refusal::kBadBucket);
  const auto huge = uint64_t{1} << 48;
  EXPECT_EQ(check_histogram(with_bounds({1}, {huge})).reason(), Refusal::kBadBucket);
  EXPECT_EQ(check_histogram(with_bounds({1}, {huge / 2, huge / 2})).reason(), Refusal::kBadBucket);
  EXPECT_EQ(check_histogram(with_bounds({1}, {huge / 2, huge / 2 - 1})).is_accepted(), true);
  EXPECT_EQ(check_histogram(exponential(21, {})).reason(), Refusal::kOutOfRange);
  EXPECT_EQ(check_histogram(exponential(-11, {})).reason(), Refusal::kOutOfRange);
  std::vector<SentBucket> many;
  for (int64_t i = 0; i <= static_cast<int64_t>(kFullBucketsMax); ++i) many.push_back({positive(i), 1});
  EXPECT_EQ(check_histogram(exponential(0, many)).reason(), Refusal::kBadBucket);
}

TEST(ForeignHistogram, ALowerScaleJoinsBuckets) {
  ForeignHistogram histogram = exponential(2, {{negative(5), 1},
                                               {negative(4), 2},
                                               {negative(-1), 4},
                                               {0, 8},
                                               {positive(-5), 16},
                                               {positive(-4), 32},
                                               {positive(3), 64}});
  lower_scale(histogram, 0);
  EXPECT_EQ(histogram.scale, 0);
  EXPECT_EQ(histogram.buckets, (std::vector<SentBucket>{{negative(1), 3},
                                                        {negative(-1), 4},
                                                        {0, 8},
                                                        {positive(-2), 16},
                                                        {positive(-1), 32},
                                                        {positive(0), 64}}));
}

TEST(ForeignHistogram, AHigherZeroThresholdTakesInBuckets) {
  ForeignHistogram histogram =
      exponential(0, {{negative(-1), 1}, {negative(-2), 2}, {0, 4}, {positive(-2), 8}, {positive(-1), 16}});
  raise_zero_threshold(histogram, 0.5);  // bucket -2 has (0.25, 0.5]
  EXPECT_EQ(histogram.buckets, (std::vector<SentBucket>{{negative(-1), 1}, {0, 14}, {positive(-1), 16}}));
}

}  // namespace
}  // namespace statmill
