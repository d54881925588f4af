// SlotSpan: slots of one tier.
#pragma once

#include <cstddef>

#include "storage/ids.h"

namespace statmill {

// The slots of one tier that a query reads.
struct SlotSpan {
  TierNo tier = 0;
  Slot begin = 0;
  Slot end = 0;

  size_t size() const { return static_cast<size_t>(end - begin); }
  bool is_empty() const { return begin >= end; }
  bool operator==(const SlotSpan&) const = default;
};

}  // namespace statmill
