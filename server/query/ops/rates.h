// Rates: columns of event totals -> columns of rates, and the zeros of slots without events.
#pragma once

#include <cstddef>
#include <cstdint>

#include "storage/slot_columns.h"

namespace statmill {

// Returns the rate per second of each total, as Bucket::event_rate(). Requires: elements of `step_s` seconds,
// step_s > 0.
SlotColumns rate_columns(const SlotColumns& totals, int64_t step_s);

// Makes the absent elements of [first, last) observations of 0. Requires: an element is one slot.
void add_silence(SlotColumns& rates, size_t first, size_t last);

// Adds `zeros` observations of 0 to element i, which is of several slots, as Bucket::merge_zeros().
void add_zeros(SlotColumns& rates, size_t i, uint64_t zeros);

}  // namespace statmill
