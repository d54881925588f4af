// The histogram partition divides the finite doubles into histogram buckets.
// A HistogramCell counts the samples of one bucket.
//
// The partition extends H2 histograms of grouping power 5 (log-linear buckets, as in HdrHistogram; the Rust
// crate `histogram` calls them H2 and defines them for integers) to all finite doubles: each range from a
// power of two to the next has 2^5 = 32 buckets of equal width, 1/32 of that power. One shift finds a bucket:
// ignoring the sign, the bits of doubles sort like their values, so the exponent and the first 5 bits of the
// mantissa are the bucket's number. Integers below 64 have one bucket each; larger ones share as in H2.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace statmill {

// 0 is zero of either sign, 1 to kHistogramIndexMax are positive numbers, and their negatives are negative
// numbers. So indices sort like the values in their buckets.
using HistogramIndex = int32_t;

inline constexpr int kHistogramGroupingPower = 5;
// A sender's buckets are as wide as 2^joined_power of ours. Those of grouping power 0 are the widest.
inline constexpr int kSentJoinedPowerMax = kHistogramGroupingPower;
inline constexpr int kHistogramShift = std::numeric_limits<double>::digits - 1 - kHistogramGroupingPower;
inline constexpr HistogramIndex kHistogramIndexMax = 2047 << kHistogramGroupingPower;  // largest double
inline constexpr HistogramIndex kHistogramIndexOfOne = (1023 << kHistogramGroupingPower) + 1;
static_assert(kHistogramShift == 47 && kHistogramIndexMax == 65504);

// Requires: `value` is finite.
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

// Joining merges groups of 2^power neighbouring buckets. Returns the index of the group: that of its bucket
// nearest to zero. Zero keeps a bucket of its own at any power, so the first positive group starts at
// index 1. From 2^5 on, each group covers whole ranges between powers of two.
inline constexpr int kJoinedPowerMax = 7;
inline HistogramIndex joined_index(HistogramIndex index, int power) {
  if (index == 0) return 0;
  const HistogramIndex first = ((std::abs(index) - 1) >> power << power) + 1;
  return index < 0 ? -first : first;
}

// Return a bucket's edges. The lower edge is the one nearer to zero; the bucket includes it (except zero,
// which has its own bucket with both edges at 0) and excludes the upper edge (except the largest double, the
// upper edge of the last bucket). Both have the sign of the index. Requires: histogram_index() returned the
// index; with a joined_power, joined_index() did for that power.
double histogram_lower_edge(HistogramIndex index);
double histogram_upper_edge(HistogramIndex index, int joined_power = 0);

// Returns the middle between the edges. It differs from any value v in the bucket by at most v * 2^-6, since
// v is at least 32 bucket widths and the middle is half a width away. Below 2^-1022 all buckets have the same
// width and the difference is at most 2^-1028. With a joined_power up to 5 it is at most 2^joined_power times
// as large; with a higher one, the middle lies between the group's powers of two. Requires: as above.
double histogram_midpoint(HistogramIndex index, int joined_power = 0);

// The number of samples in one bucket.
struct HistogramCell {
  HistogramIndex index = 0;
  uint64_t count = 0;
  friend bool operator==(const HistogramCell&, const HistogramCell&) = default;
};

}  // namespace statmill
