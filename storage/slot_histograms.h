// SlotHistogram: the histogram of one slot of a series, and how two lists of them merge.
#pragma once

#include <span>
#include <vector>

#include "storage/histogram.h"
#include "storage/ids.h"

namespace statmill {

struct SlotHistogram {
  Slot slot = 0;
  SparseHistogram histogram;
  friend bool operator==(const SlotHistogram&, const SlotHistogram&) = default;
};

// Merges `b` into `a`, slot by slot. Requires: both ascend and hold each slot once.
void merge_into(std::vector<SlotHistogram>& a, std::span<const SlotHistogram> b);

}  // namespace statmill
