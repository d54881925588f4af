// How much memory columns use.
#pragma once

#include <cstddef>

#include "storage/slot_columns.h"

namespace statmill {

// The bytes of its arrays and histograms. Cost: a pass over the histograms.
inline size_t column_bytes(const SlotColumns& columns) {
  size_t bytes = columns.present.words().size() * sizeof(uint64_t) + columns.mixed.size() * sizeof(Bucket) +
                 columns.squares.size() * sizeof(Int128);
  bytes += (columns.sums.size() + columns.counts.size() + columns.mins.size() + columns.maxs.size()) *
           sizeof(int64_t);
  for (const SlotHistogram& one : columns.histograms) bytes += sizeof(one) + one.histogram.memory_bytes();
  return bytes;
}

}  // namespace statmill
