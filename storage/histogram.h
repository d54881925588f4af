// SparseHistogram: the distribution of one series' samples in one slot, as the non-empty cells of a partition
// (proto/histogram_partition.h).
//
// A commutative monoid: merge is associative and commutative, and the empty histogram is its identity. This
// holds at the limit of cells, too: a histogram with too many cells joins 2, 4, ... neighbouring buckets,
// with the smallest such number that suffices, which is the same in any order of merging.
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
  // The largest number of samples: counts saturate here, so that ranks stay exact in a double.
  static constexpr uint64_t kCountMax = uint64_t{1} << 53;

  // Latencies of 1 ns to one hour need 1216 cells. At kJoinedPowerMax no histogram needs more than this.
  static constexpr size_t kCellsMax = 2048;

  SparseHistogram() = default;  // empty
  // Returns nullopt if there are more than kCellsMax cells, the indices are not those of joined_index(), out
  // of range or not strictly ascending, a count is 0, or the counts add up to more than kCountMax. Requires:
  // 0 <= joined_power <= kJoinedPowerMax.
  static std::optional<SparseHistogram> from_cells(std::vector<Cell> cells, int joined_power = 0);

  // Allocates memory for that many cells.
  void reserve(size_t cells) { cells_.reserve(cells); }
  // Adds n samples to a bucket. Cost: a binary search without unpredictable branches; a new cell also moves
  // all cells after it. Requires: `index` is a result of histogram_index().
  void add(HistogramIndex index, uint64_t n = 1);
  // Adds all samples of `other`. Cost: linear in the cells of both; allocates only if there are new cells.
  void merge(const SparseHistogram& other);

  bool is_empty() const { return cells_.empty(); }
  uint64_t count() const { return count_; }  // number of samples
  // The non-empty cells, ascending, each index once.
  std::span<const Cell> cells() const { return cells_; }
  // Each cell covers 2^power neighbouring buckets (joined_index()).
  int joined_power() const { return joined_power_; }
  size_t memory_bytes() const { return cells_.capacity() * sizeof(Cell); }  // on the heap

  // Returns the sample of nearest rank, ceil(q n) of n, as precisely as its cell allows: the cell's midpoint,
  // clamped to [min, max], the exact extremes of all samples; so the first and the last rank are exact. If q
  // n exceeds an integer only by the rounding of q (0.07 of 100 samples), the rank is that integer. Cost:
  // linear in the cells. Requires: not empty, 0 <= q <= 1, min <= max.
  double percentile(double q, double min, double max) const;

  friend bool operator==(const SparseHistogram&, const SparseHistogram&) = default;

 private:
  void join(int power);  // Requires: power >= joined_power()
  void enforce_cell_limit();

  std::vector<Cell> cells_;
  uint64_t count_ = 0;  // sum of the cells' counts
  int joined_power_ = 0;
};

}  // namespace statmill
