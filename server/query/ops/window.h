// Windows: elements of columns merged for each point of an answer: `avg_over_time(x[5m])` has one window of
// 30 slots per point. Pure arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "storage/slot_columns.h"
#include "storage/tiers.h"

namespace statmill {

// Elements [begin, end) of columns; may be empty.
struct SlotWindow {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Returns columns whose element w is the merge of the elements of windows[w], and whose histogram of `slot` w
// is that of their histograms; `begin` is 0. The numbers are exact if those of Bucket are, in any order of
// merging; if a sum does not fit, the result is mixed. Cost: 1 to 2 ns per slot, window and part, whether the
// windows overlap or not; of mixed columns, at most three merges per slot; of histograms, some 2 ns per cell,
// and 1 ns per window and bucket of their range. Requires: begins and ends ascend, begin <= end <=
// slots.size().
SlotColumns merge_windows(const SlotColumns& slots, std::span<const SlotWindow> windows);

// Returns the elements of tier `to` made from slots of the finer tier `from`, with the slots of `to`; the
// same as roll_up() of storage/rollup.h. Events are totals in `from` and rates in `to`. Requires: fine.begin
// >= 0.
SlotColumns roll_up(const SlotColumns& fine, const Tier& from, const Tier& to, Kind kind);

}  // namespace statmill
