// Native histograms of remote_write: which buckets they have, and what is refused.
#include "proto/prometheus/native_histogram.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "proto/prometheus/remote_write.h"
#include "tests/support/native_histogram_message.h"

namespace statmill {
namespace {

NativeHistogram read(const NativeHistogramMessage& message) {
  NativeHistogram out;
  EXPECT_TRUE(read_native_histogram(message.text(), out));
  return out;
}

std::string refusal(const NativeHistogramMessage& message) {
  const NativeHistogram out = read(message);
  return out.verdict.is_refused() ? std::string(refusal_label(out.verdict.reason())) : "none";
}

// Buckets -2 and 1 to 2 and 5 of the positive numbers, 1 of the negative ones, and zero's.
const NativeHistogramMessage kSample = {.count = 17,
                                        .sum = 12.5,
                                        .schema = 1,
                                        .zero_threshold = 0.001,
                                        .zeros = 2,
                                        .negative_spans = {{1, 1}},
                                        .negative_deltas = {4},
                                        .positive_spans = {{-2, 1}, {2, 2}, {2, 1}},
                                        .positive_deltas = {1, 2, -3, 7},
                                        .time_ms = 1'700'000'000'123};

TEST(NativeHistogram, BucketsComeInRunsOfDifferences) {
  const NativeHistogram out = read(kSample);
  ASSERT_TRUE(out.verdict.is_accepted());
  const ForeignHistogram& histogram = out.histogram;
  EXPECT_TRUE(histogram.is_exponential);
  EXPECT_EQ(histogram.scale, 1);
  EXPECT_EQ(histogram.zero_threshold, 0.001);
  EXPECT_EQ(histogram.count, 17U);
  EXPECT_EQ(histogram.sum->value(), 12.5);
  EXPECT_FALSE(histogram.min || histogram.max);
  // Ours are numbered one lower; that of 0 counts is left out.
  const std::vector<SentBucket> want = {{exponential_bucket(0, true), 4},
                                        {0, 2},
                                        {exponential_bucket(-3, false), 1},
                                        {exponential_bucket(0, false), 3},
                                        {exponential_bucket(4, false), 7}};
  EXPECT_EQ(histogram.buckets, want);
  EXPECT_EQ(out.time_ms, 1'700'000'000'123);
  EXPECT_EQ(out.start_ms, 0);
  EXPECT_FALSE(out.is_reset || out.is_end);
}

// Bucket i of Prometheus has the numbers in (base^(i - 1), base^i], of which the cell has the middle.
TEST(NativeHistogram, ACountGoesToTheCellOfItsGeometricMiddle) {
  const NativeHistogram out =
      read({.count = 1, .sum = 3, .positive_spans = {{2, 1}}, .positive_deltas = {1}});
  ASSERT_TRUE(out.verdict.is_accepted());
  const auto cell = cell_of(out.histogram, out.histogram.buckets.front().number);
  EXPECT_EQ(cell, histogram_index(std::sqrt(8.0))) << "of (2, 4]";
}

// As Prometheus writes it.
TEST(NativeHistogram, GoldenBytes) {
  const std::string hex =
      "0811190000000000002940200229fca9f1d24d62503f30024204080210014a01085a04080310015a04080410025a04080410"
      "0162040204050e78fbd095ffbc31";
  std::string sent;
  for (size_t i = 0; i < hex.size(); i += 2)
    sent.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  EXPECT_EQ(sent, kSample.text());
}

TEST(NativeHistogram, CountsMayBeNumbers) {
  NativeHistogramMessage sent = {.count = 5,
                                 .sum = 1,
                                 .positive_spans = {{0, 2}},
                                 .positive_counts = {2, 3},
                                 .hint = 1,
                                 .time_ms = 5,
                                 .start_ms = 3};
  const NativeHistogram out = read(sent);
  EXPECT_TRUE(out.verdict.is_accepted());
  EXPECT_EQ(out.histogram.count, 5U);
  EXPECT_TRUE(out.is_reset);
  EXPECT_EQ(out.start_ms, 3);
  sent.positive_counts = {2.5, 2.5};
  EXPECT_EQ(refusal(sent), "unsupported");
  sent.positive_counts = {-1, 6};
  EXPECT_EQ(refusal(sent), "unsupported");
  sent.positive_counts = {std::numeric_limits<double>::infinity(), 3};
  EXPECT_EQ(refusal(sent), "unsupported");
}

TEST(NativeHistogram, CustomBoundsAreExplicit) {
  NativeHistogramMessage sent = {.count = 6,
                                 .sum = 9,
                                 .schema = -53,
                                 .positive_spans = {{1, 2}},
                                 .positive_deltas = {4, -2},
                                 .bounds = {0.5, 1.0}};
  const NativeHistogram out = read(sent);
  ASSERT_TRUE(out.verdict.is_accepted());
  EXPECT_FALSE(out.histogram.is_exponential);
  EXPECT_EQ(out.histogram.bounds, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(out.histogram.buckets, (std::vector<SentBucket>{{1, 4}, {2, 2}}));
  sent.positive_spans = {{2, 2}};
  EXPECT_EQ(refusal(sent), "bad_bucket") << "there are three";
  sent.positive_spans = {{-1, 2}};
  EXPECT_EQ(refusal(sent), "bad_bucket");
  sent.positive_spans = {{0, 2}};
  sent.bounds = {1, 0.5};
  EXPECT_EQ(refusal(sent), "bad_bucket");
  sent.bounds = {1};
  sent.zeros = 1;
  EXPECT_EQ(refusal(sent), "bad_bucket");
}

TEST(NativeHistogram, AStaleMarkerEndsTheSeries) {
  const NativeHistogram out = read({.sum = std::bit_cast<double>(kStaleMarkerBits), .time_ms = 7});
  EXPECT_TRUE(out.is_end);
  EXPECT_EQ(out.time_ms, 7);
}

TEST(NativeHistogram, WhatCannotBeStoredIsRefused) {
  NativeHistogramMessage sent = kSample;
  sent.hint = 3;
  EXPECT_EQ(refusal(sent), "unsupported") << "a gauge";
  sent = kSample;
  sent.sum = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(sent), "not_finite");
  for (const int64_t schema : {-5, 9, -52, 100, INT32_MIN}) {
    sent = kSample;
    sent.schema = schema;
    EXPECT_EQ(refusal(sent), "out_of_range") << schema;
  }
  sent = kSample;
  sent.count = 16;
  EXPECT_EQ(refusal(sent), "bad_bucket") << "its buckets have 17";
  sent = kSample;
  sent.positive_deltas = {1, -2, 3, 7};
  EXPECT_EQ(refusal(sent), "bad_bucket") << "a count below 0";
  sent = kSample;
  sent.positive_deltas.pop_back();
  EXPECT_EQ(refusal(sent), "bad_bucket") << "a bucket without a count";
  sent = kSample;
  sent.positive_spans[1].first = -1;
  EXPECT_EQ(refusal(sent), "bad_bucket") << "runs go up";
  sent = kSample;
  sent.positive_spans = {{0, UINT64_MAX}, {0, UINT64_MAX}};
  EXPECT_EQ(refusal(sent), "bad_bucket");
  sent = kSample;
  sent.positive_spans = {{INT32_MAX - 1, 1}, {0, 2}, {0, 1}};
  EXPECT_EQ(refusal(sent), "bad_bucket") << "an index beyond 32 bits";
  sent.positive_spans[0].first = INT32_MAX - 4;
  EXPECT_EQ(refusal(sent), "none");
  sent = kSample;
  sent.positive_deltas.assign(kSentBucketsMax + 1, 0);
  sent.positive_spans = {{0, kSentBucketsMax + 1}};
  EXPECT_EQ(refusal(sent), "bad_bucket");
}

TEST(NativeHistogram, EveryCutAndFlipEndsInOrder) {
  const std::string whole = kSample.text();
  NativeHistogram out;
  for (size_t size = 0; size < whole.size(); ++size) read_native_histogram(whole.substr(0, size), out);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string other = whole;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    if (!read_native_histogram(other, out) || out.verdict.is_refused() || out.is_end) continue;
    EXPECT_TRUE(check_histogram(out.histogram).is_accepted());
  }
  NativeHistogramMessage far = kSample;
  far.positive_spans[0].first = int64_t{1} << 40;
  EXPECT_FALSE(read_native_histogram(far.text(), out)) << "an offset beyond 32 bits";
}

}  // namespace
}  // namespace statmill
