// Slot histograms: the histograms of one series by slot, as a chunk has them, and how two such lists merge.
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

// Merges b into a, slot by slot. Both ascending, each slot once.
void merge_into(std::vector<SlotHistogram>& a, std::span<const SlotHistogram> b);

}  // namespace statmill
