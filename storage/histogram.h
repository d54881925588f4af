// SparseHistogram: how the samples of one series spread in one slot, as the cells of a partition
// (proto/histogram_partition.h) that hold any.
//
// A commutative monoid: merge is associative and commutative, the empty histogram is its identity. So it is
// over its limit of cells, too: what has too many takes 2, 4, ... neighbours together, as few as will do, and
// that number is the same whatever the order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proto/histogram_partition.h"

namespace statmill {

class SparseHistogram {
 public:
  using Cell = HistogramCell;
  // Of all samples: counts saturate here, and ranks stay exact in a double.
  static constexpr uint64_t kCountMax = uint64_t{1} << 53;

  // Latencies of any nanoseconds up to an hour have 1216. At kJoinedPowerMax no histogram has more.
  static constexpr size_t kCellsMax = 2048;

  SparseHistogram() = default;  // empty
  // None when they are more than kCellsMax, the indices not those of joined_index(), in range and strictly
  // ascending, a count is 0 or their sum over kCountMax. Requires: 0 <= joined_power <= kJoinedPowerMax.
  static std::optional<SparseHistogram> from_cells(std::vector<Cell> cells, int joined_power = 0);

  // Takes the memory of so many cells.
  void reserve(size_t cells) { cells_.reserve(cells); }
  // Adds n samples to a bucket. Costs a binary search, one step per doubling of the cells and without a
  // branch to guess; a cell that is new moves those behind it. Requires: an index of histogram_index().
  void add(HistogramIndex index, uint64_t n = 1);
  // Adds what another holds. Linear in the cells of both; asks for memory only when cells are new.
  void merge(const SparseHistogram& other);

  bool is_empty() const { return cells_.empty(); }
  uint64_t count() const { return count_; }  // of samples
  // What holds samples: ascending, each index once, no count 0.
  std::span<const Cell> cells() const { return cells_; }
  // Each cell is of 2^power neighbouring buckets (joined_index()).
  int joined_power() const { return joined_power_; }
  size_t memory_bytes() const { return cells_.capacity() * sizeof(Cell); }  // beside the object itself

  // The sample of nearest rank, the ceil(q n)-th of n, as well as its cell tells: the midpoint, but within
  // [min, max], the exact ones of all samples; so the first and the last rank are exact. A product that
  // passes an integer only by the rounding of q (0.07 of 100 samples) is that integer. Linear in the cells.
  // Requires: not empty, 0 <= q <= 1, min <= max.
  double percentile(double q, double min, double max) const;

  friend bool operator==(const SparseHistogram&, const SparseHistogram&) = default;

 private:
  void join(int power);  // Requires: not below joined_power()
  void keep_limit();

  std::vector<Cell> cells_;
  uint64_t count_ = 0;  // sum of the cells' counts
  int joined_power_ = 0;
};

}  // namespace statmill
