#include "proto/foreign_histogram.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

namespace statmill {
namespace {

constexpr uint64_t kCountMax = uint64_t{1} << 48;  // Bucket::kCountMax
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
// Estimates have four digits, so that buckets stay decimals, and extremes are so far from the mean at least.
constexpr int kEstimateDigits = 4;
constexpr double kMeanSlack = 1e-3;

// Returns 2^exponent, or the nearest finite number that is not 0.
double power_of_two(double exponent) {
  const double whole = std::floor(exponent);
  if (whole < -1074) return kSmallest;
  if (whole > 1023) return kLargest;
  return std::ldexp(std::exp2(exponent - whole), static_cast<int>(whole));
}

// Returns the edge of an exponential bucket at index + offset.
double exponential_value(const ForeignHistogram& histogram, BucketNumber bucket, double offset) {
  if (bucket == 0) return 0;
  const auto index = static_cast<double>(std::abs(bucket) - kFirstExponential);
  const double magnitude = power_of_two(std::ldexp(index + offset, -histogram.scale));
  return bucket < 0 ? -magnitude : magnitude;
}

size_t bound_of(BucketNumber bucket) { return static_cast<size_t>(bucket); }

// The smallest cell that has no number up to `bound`, other than the bound itself.
HistogramIndex cell_above(double bound) {
  const HistogramIndex cell = histogram_index(bound);
  const bool is_edge = bound > 0 && histogram_lower_edge(cell) == bound;
  return is_edge ? cell : std::min(cell + 1, kHistogramIndexMax);
}

// The ends of a bucket, as far as they are known; else a guess that no sample contradicts.
std::pair<double, double> ends_of(const ForeignHistogram& histogram, BucketNumber bucket) {
  if (histogram.is_exponential) {
    const double near = exponential_value(histogram, bucket, 0);
    const double far = exponential_value(histogram, bucket, 1);
    return {std::min(near, far), std::max(near, far)};
  }
  const size_t i = bound_of(bucket);
  const std::vector<double>& bounds = histogram.bounds;
  if (bounds.empty()) return {-kLargest, kLargest};
  if (i == bounds.size()) {
    const double low = bounds.back();
    return {low, std::max(low, histogram.max ? histogram.max->value() : low)};
  }
  if (i > 0) return {bounds[i - 1], bounds[i]};
  const double high = bounds.front();
  // Most histograms are of numbers that are not negative.
  return {std::min(high, histogram.min ? histogram.min->value() : 0), high};
}

double middle_of(const ForeignHistogram& histogram, BucketNumber bucket) {
  if (histogram.is_exponential) return exponential_value(histogram, bucket, 0.5);
  const auto [low, high] = ends_of(histogram, bucket);
  return low / 2 + high / 2;
}

// The buckets as cells of ours, ascending.
std::vector<HistogramCell> cells_of(const ForeignHistogram& histogram, double mean) {
  std::vector<HistogramCell> cells;
  cells.reserve(histogram.buckets.size());
  const bool has_one_bucket = !histogram.is_exponential && histogram.bounds.empty();
  for (const SentBucket& bucket : histogram.buckets) {
    const HistogramIndex cell = has_one_bucket ? histogram_index(mean) : cell_of(histogram, bucket.number);
    if (!cells.empty() && cells.back().index == cell) {
      cells.back().count += bucket.count;
    } else {
      cells.push_back({cell, bucket.count});
    }
  }
  return cells;
}

// Sums of large numbers of both signs may be none.
Number estimate(double value) {
  value = std::isnan(value) ? 0 : std::clamp(value, -kLargest, kLargest);
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific,
                                 kEstimateDigits - 1);
  Number number;
  const std::string_view digits(text.data(), static_cast<size_t>(end.ptr - text.data()));
  return parse_number(digits, number).is_accepted() ? number : Number::of(value);
}

Number sum_of(const ForeignHistogram& histogram, double estimated) {
  if (histogram.sum) return *histogram.sum;
  const auto count = static_cast<double>(histogram.count);
  if (histogram.min) estimated = std::max(estimated, count * histogram.min->value());
  if (histogram.max) estimated = std::min(estimated, count * histogram.max->value());
  return Number::shortest(std::isnan(estimated) ? 0 : std::clamp(estimated, -kLargest, kLargest));
}

}  // namespace

Verdict<Refusal> check_histogram(const ForeignHistogram& histogram) {
  if (histogram.is_exponential && (histogram.scale < kSentScaleMin || histogram.scale > kSentScaleMax))
    return Refusal::kOutOfRange;
  double before = -std::numeric_limits<double>::infinity();
  for (const double bound : histogram.bounds) {
    if (!(before < bound) || !std::isfinite(bound)) return Refusal::kBadBucket;
    before = bound;
  }
  if (histogram.buckets.size() > kFullBucketsMax) return Refusal::kBadBucket;
  uint64_t count = 0;
  for (const SentBucket& bucket : histogram.buckets) {
    if (bucket.count >= kCountMax) return Refusal::kBadBucket;
    count += bucket.count;
  }
  if (count != histogram.count || count >= kCountMax) return Refusal::kBadBucket;
  return kAccepted;
}

void lower_scale(ForeignHistogram& histogram, int32_t scale) {
  const int by = histogram.scale - scale;
  std::vector<SentBucket> joined;
  for (const SentBucket& bucket : histogram.buckets) {
    BucketNumber number = bucket.number;
    if (number != 0)
      number = exponential_bucket((std::abs(number) - kFirstExponential) >> by, bucket.number < 0);
    if (!joined.empty() && joined.back().number == number) {
      joined.back().count += bucket.count;
    } else {
      joined.push_back({number, bucket.count});
    }
  }
  histogram.buckets = std::move(joined);
  histogram.scale = scale;
}

void raise_zero_threshold(ForeignHistogram& histogram, double threshold) {
  histogram.zero_threshold = threshold;
  std::vector<SentBucket> joined;
  for (const SentBucket& bucket : histogram.buckets) {
    const double end = std::abs(exponential_value(histogram, bucket.number, 1));
    constexpr double kRounding = 1 + 1e-9;
    const BucketNumber number = end <= threshold * kRounding ? 0 : bucket.number;
    if (!joined.empty() && joined.back().number == number) {
      joined.back().count += bucket.count;
    } else {
      joined.push_back({number, bucket.count});
    }
  }
  histogram.buckets = std::move(joined);
}

HistogramIndex cell_of(const ForeignHistogram& histogram, BucketNumber bucket) {
  if (histogram.is_exponential) return histogram_index(exponential_value(histogram, bucket, 0.5));
  const size_t i = bound_of(bucket);
  if (i < histogram.bounds.size()) {
    const double bound = histogram.bounds[i];
    return bound == 0 ? 0 : histogram_index(std::nextafter(bound, -kLargest));
  }
  if (histogram.bounds.empty()) return 0;
  const HistogramIndex above = cell_above(histogram.bounds.back());
  return histogram.max ? std::max(above, histogram_index(histogram.max->value())) : above;
}

ReadyHistogram ready_histogram(const ForeignHistogram& histogram, Batch& batch) {
  const auto count = static_cast<double>(histogram.count);
  double estimated_sum = 0;
  double squares = 0;
  const bool has_one_bucket = !histogram.is_exponential && histogram.bounds.empty();
  for (const SentBucket& bucket : histogram.buckets) {
    const double middle = has_one_bucket ? 0 : middle_of(histogram, bucket.number);
    estimated_sum += middle * static_cast<double>(bucket.count);
    squares += middle * middle * static_cast<double>(bucket.count);
  }
  ReadyHistogram out;
  out.sum = sum_of(histogram, estimated_sum);
  const double mean = out.sum.value() / count;
  const double slack = std::abs(mean) * kMeanSlack;
  double low = mean;
  double high = mean;
  if (!has_one_bucket && !histogram.buckets.empty()) {
    low = ends_of(histogram, histogram.buckets.front().number).first;
    high = ends_of(histogram, histogram.buckets.back().number).second;
  }
  ReadyBucket& ready = batch.new_ready_bucket();
  ready.count = histogram.count;
  ready.min = histogram.min.value_or(estimate(std::min(low, mean - slack)));
  ready.max = histogram.max.value_or(estimate(std::max(high, mean + slack)));
  ready.sum_of_squares = estimate(has_one_bucket ? mean * out.sum.value() : squares);
  ready.cells = batch.keep(cells_of(histogram, mean));
  ready.joined_power = kSentJoinedPowerMax;
  if (histogram.is_exponential) {
    const int power = std::clamp(kHistogramGroupingPower - histogram.scale, 0, kSentJoinedPowerMax);
    ready.joined_power = static_cast<uint8_t>(power);
  }
  out.ready = &ready;
  return out;
}

}  // namespace statmill
