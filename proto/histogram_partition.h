// Histogram partition: how the numbers are cut into the buckets of histograms; and a cell, how many fell into
// one.
//
// It is that of H2 histograms with grouping power 5 (log-linear buckets, as in HdrHistogram; H2 by the name
// of the Rust crate `histogram`, which makes it of integers), carried on to all finite doubles: each range
// from a power of two to the next is cut in 2^5 = 32 buckets of one width, 1/32 of that power. A bucket is
// found by a shift, since sign aside the bits of doubles ascend as they do: exponent and the first 5 bits of
// the mantissa are its number. Integers below 64 have a bucket each, above it they share as H2's do.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace statmill {

// 0: zero, of either sign; 1 to kHistogramIndexMax: positive numbers, ascending; their negatives: negative
// numbers, so that indices ascend as what they hold.
using HistogramIndex = int32_t;

inline constexpr int kHistogramGroupingPower = 5;
inline constexpr int kHistogramShift = std::numeric_limits<double>::digits - 1 - kHistogramGroupingPower;
inline constexpr HistogramIndex kHistogramIndexMax = 2047 << kHistogramGroupingPower;  // of the last finite
inline constexpr HistogramIndex kHistogramIndexOfOne = (1023 << kHistogramGroupingPower) + 1;
static_assert(kHistogramShift == 47 && kHistogramIndexMax == 65504);

// Requires: finite.
inline HistogramIndex histogram_index(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  const auto index =
      static_cast<HistogramIndex>(magnitude >> kHistogramShift) + static_cast<HistogramIndex>(magnitude != 0);
  return bits == magnitude ? index : -index;
}

inline bool is_histogram_index(int64_t index) {
  return index >= -kHistogramIndexMax && index <= kHistogramIndexMax;
}

// Where 2^power neighbours are taken together they are called by the one nearest to zero, which has a bucket
// of its own at any power. So index 1 is the first of the positive ones, and from 2^5 on they are whole
// ranges from a power of two to another.
inline constexpr int kJoinedPowerMax = 7;
inline HistogramIndex joined_index(HistogramIndex index, int power) {
  if (index == 0) return 0;
  const HistogramIndex first = ((std::abs(index) - 1) >> power << power) + 1;
  return index < 0 ? -first : first;
}

// A bucket's edges by magnitude: the lower is nearer to zero and in the bucket (but zero itself, which has a
// bucket of its own, where both edges are), the upper is not: except the largest double, the upper edge of
// the last bucket. Both have the sign of the index. Requires: an index of histogram_index(), of
// joined_index() where so many are taken together.
double histogram_lower_edge(HistogramIndex index);
double histogram_upper_edge(HistogramIndex index, int joined_power = 0);

// Halfway between the edges: within 2^-6 of every value in the bucket, relative to the value, since that is
// at least 32 widths and the midpoint half of one away. Not of magnitudes below 2^-1022, whose buckets all
// have one width: there within 2^-1028. Where 2^power are taken together, up to 2^5, 2^power times as far; of
// more it is between their powers of two. Requires: as above.
double histogram_midpoint(HistogramIndex index, int joined_power = 0);

// How many samples fell into a bucket.
struct HistogramCell {
  HistogramIndex index = 0;
  uint64_t count = 0;
  friend bool operator==(const HistogramCell&, const HistogramCell&) = default;
};

}  // namespace statmill
