// SparseHistogram: how the samples of one series spread in one slot, as counts of log-linear buckets; and the
// partition of the numbers into those buckets.
//
// The partition is that of H2 histograms with grouping power 5 (log-linear buckets, as in HdrHistogram; H2 by
// the name of the Rust crate `histogram`, which makes it of integers), carried on to all finite doubles: each
// range from a power of two to the next is cut in 2^5 = 32 buckets of one width, 1/32 of that power. A bucket
// is found by a shift, since sign aside the bits of doubles ascend as they do: exponent and the first 5 bits
// of the mantissa are its number. Integers below 64 have a bucket each, above it they share as H2's do.
//
// A commutative monoid: merge is associative and commutative, the empty histogram is its identity.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

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

// A bucket's edges by magnitude: the lower is nearer to zero and in the bucket (but zero itself, which has a
// bucket of its own, where both edges are), the upper is not: except the largest double, the upper edge of
// the last bucket. Both have the sign of the index. Requires: an index of histogram_index().
double histogram_lower_edge(HistogramIndex index);
double histogram_upper_edge(HistogramIndex index);

// Halfway between the edges: within 2^-6 of every value in the bucket, relative to the value, since that is
// at least 32 widths and the midpoint half of one away. Not of magnitudes below 2^-1022, whose buckets all
// have one width: there within 2^-1028. Requires: as above.
double histogram_midpoint(HistogramIndex index);

class SparseHistogram {
 public:
  struct Cell {
    HistogramIndex index = 0;
    uint64_t count = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  // Of all samples. What would lead over it is refused: never a wrap, and ranks stay exact in a double.
  static constexpr uint64_t kCountMax = uint64_t{1} << 53;

  SparseHistogram() = default;  // empty
  // None when the indices are not in range and strictly ascending, a count is 0 or their sum over kCountMax.
  static std::optional<SparseHistogram> from_cells(std::vector<Cell> cells);

  // Adds n samples to a bucket. False, and nothing has changed, when the count would pass kCountMax. Costs a
  // binary search, one step per doubling of the cells and without a branch to guess; a cell that is new
  // moves those behind it. Requires: an index of histogram_index().
  [[nodiscard]] bool add(HistogramIndex index, uint64_t n = 1);
  // Adds what another holds. False, and nothing has changed, when the count would pass kCountMax. Linear in
  // the cells of both; asks for memory only when cells are new.
  [[nodiscard]] bool merge(const SparseHistogram& other);

  bool is_empty() const { return cells_.empty(); }
  uint64_t count() const { return count_; }  // of samples
  // What holds samples: ascending, each index once, no count 0.
  std::span<const Cell> cells() const { return cells_; }

  // The sample of nearest rank, the ceil(q n)-th of n, as well as its bucket tells: the midpoint, but within
  // [min, max], the exact ones of all samples; so the first and the last rank are exact. A product that
  // passes an integer only by the rounding of q (0.07 of 100 samples) is that integer. Linear in the cells.
  // Requires: not empty, 0 <= q <= 1, min <= max.
  double percentile(double q, double min, double max) const;

  friend bool operator==(const SparseHistogram&, const SparseHistogram&) = default;

 private:
  std::vector<Cell> cells_;
  uint64_t count_ = 0;  // sum of the cells' counts
};

}  // namespace statmill
