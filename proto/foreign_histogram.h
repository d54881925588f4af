// ForeignHistogram: a histogram in the buckets of its sender, of which there are two sorts, and how it
// becomes a ready-made bucket with cells of our partition.
//
//   explicit     bucket i has the numbers in (bounds[i - 1], bounds[i]]; the last one has no upper edge
//   exponential  bucket i has the numbers in (base^i, base^(i + 1)], where base = 2^(2^-scale); the negative
//                numbers have as many buckets of their own, and zero has one
//
// Source: opentelemetry.io/docs/specs/otel/metrics/data-model, "Histogram" and "ExponentialHistogram". Native
// histograms of Prometheus have the same buckets, numbered one higher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/verdict.h"
#include "proto/batch.h"
#include "proto/number.h"

namespace statmill {

// How many buckets of one histogram are read, with those that count nothing.
inline constexpr size_t kSentBucketsMax = 4096;
// How many buckets with a count it may have: as many as a histogram of ours has cells.
inline constexpr size_t kFullBucketsMax = 2048;
inline constexpr int32_t kSentScaleMin = -10;
inline constexpr int32_t kSentScaleMax = 20;

// The number of a bucket, which sorts as its values do. With explicit bounds it counts from 0.
using BucketNumber = int64_t;
inline constexpr BucketNumber kFirstExponential = BucketNumber{1} << 33;
// Returns the number of an exponential bucket. That of zero is 0.
inline BucketNumber exponential_bucket(int64_t index, bool is_negative) {
  return is_negative ? -(kFirstExponential + index) : kFirstExponential + index;
}

struct SentBucket {
  BucketNumber number = 0;
  uint64_t count = 0;
  bool operator==(const SentBucket&) const = default;
};

struct ForeignHistogram {
  bool is_exponential = false;
  int32_t scale = 0;                  // exponential
  double zero_threshold = 0;          // exponential: zero's bucket has what is at most so far from it
  std::vector<double> bounds{};       // explicit
  std::vector<SentBucket> buckets{};  // ascending; counts are not 0
  uint64_t count = 0;                 // the sum of the buckets' counts
  std::optional<Number> sum{};        // each of these is finite
  std::optional<Number> min{};
  std::optional<Number> max{};
};

// Refuses with kBadBucket what contradicts itself: bounds that do not ascend or are not finite, counts that
// do not add up to `count`, more than 2^48 of them or kFullBucketsMax; with kOutOfRange a scale beyond the
// limits above.
Verdict<Refusal> check_histogram(const ForeignHistogram& histogram);

// Moves an exponential histogram to a lower scale, whose buckets are each some of its own.
void lower_scale(ForeignHistogram& histogram, int32_t scale);
// Moves buckets that lie within the threshold to zero's.
void raise_zero_threshold(ForeignHistogram& histogram, double threshold);

// Returns the cell that a bucket's count goes to. With explicit bounds it is the one below the upper edge, so
// that the number of samples up to each bound stays exact; above the last bound, that of the greatest sample,
// or the next one if that is unknown. An exponential bucket has its geometric middle. Requires: the bucket
// has a count.
HistogramIndex cell_of(const ForeignHistogram& histogram, BucketNumber bucket);

// A histogram as a sample: the sum of its values, and the rest.
struct ReadyHistogram {
  Number sum;
  const ReadyBucket* ready = nullptr;  // the batch keeps it
};
// Count, sum, and the extremes are those that were sent. What was not sent is estimated from the buckets, and
// so is the sum of squares. Requires: check_histogram() accepts it, count > 0.
ReadyHistogram ready_histogram(const ForeignHistogram& histogram, Batch& batch);

}  // namespace statmill
