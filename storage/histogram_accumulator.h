// HistogramAccumulator: the sum of many histograms, with one counter per bucket of their range: a cell that
// is added costs an addition, where merging two lists of cells walks over both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/histogram.h"

namespace statmill {

// A value type.
class HistogramAccumulator {
 public:
  // The largest range of buckets that has counters. 128 powers of two fit; a wider sum is merged as lists of
  // cells are, as is one of joined cells or of more than SparseHistogram::kCountMax samples.
  static constexpr int64_t kRangeMax = 4096;

  // Cost: some 1 ns per cell.
  void add(const SparseHistogram& histogram);
  // Takes away what was added. Requires: can_subtract().
  void subtract(const SparseHistogram& histogram);
  bool can_subtract() const { return is_dense_; }
  void clear();

  bool is_empty() const { return is_dense_ ? count_ == 0 : sparse_.is_empty(); }
  // Returns what merging all of them gives. Cost: linear in the range.
  SparseHistogram histogram() const;
  size_t memory_bytes() const;  // on the heap

 private:
  // Returns false if the range gets too wide.
  bool make_room(HistogramIndex least, HistogramIndex most);
  bool add_dense(const SparseHistogram& histogram);

  bool is_dense_ = true;
  HistogramIndex first_ = 0;  // the bucket that counts_[0] counts
  uint64_t count_ = 0;        // samples in counts_
  std::vector<uint64_t> counts_;
  SparseHistogram sparse_;  // everything, unless is_dense_
};

}  // namespace statmill
