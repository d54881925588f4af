// Says if the seconds of the detail tier have as much as the slots of the finest tier. `ratio` is
// Tiers::detail_ratio().
#pragma once

#include <cstdint>
#include <span>

#include "proto/sample.h"
#include "storage/slot_columns.h"

namespace statmill {

// Returns whether `detail` has as many samples as `finest` in each slot of that, or totals of the same sum.
// Requires: both begin at the same time.
bool is_whole_detail(const SlotColumns& detail, const SlotColumns& finest, int64_t ratio, Kind kind);

// Returns whether `detail` has samples in at least half of the seconds: who sends each 10 s has one in each
// slot of `finest`. Silent seconds of events are zeros, so events are dense unless all of several come at
// about the same second of different slots, as from a sender that adds up 10 s.
bool is_dense_detail(const SlotColumns& detail, const SlotColumns& finest, int64_t ratio, Kind kind);

// Returns whether a host was present in at least half of the seconds of the slots in which it was present at
// all. An element of `seconds` is a second: 0 if the host was away.
bool is_dense_presence(std::span<const uint32_t> seconds, int64_t ratio);

}  // namespace statmill
