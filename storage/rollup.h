// Rollup: makes buckets of the coarser tiers from buckets of the finest one. It aggregates and never
// decimates: all samples reach all tiers. Pure arithmetic over slots.
#pragma once

#include <span>
#include <vector>

#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"
#include "storage/tiers.h"

namespace statmill {

// Returns the buckets of `to`, ascending, made from buckets of the finest tier `from`, ascending. If the
// kind adds up, each fine bucket is a slot's total and counts as one observation of its rate; readers add the
// silent slots of events.
std::vector<SlotBucket> roll_up(std::span<const SlotBucket> fine, const Tier& from, const Tier& to,
                                Kind kind);

// The same for histograms, which hold samples in every tier.
std::vector<SlotHistogram> roll_up(std::span<const SlotHistogram> fine, const Tier& from, const Tier& to);

// Returns the buckets of the finest tier, ascending, made from those of the detail tier, ascending: as if
// their samples had been added to slots of the finest tier at once. `ratio` is Tiers::detail_ratio().
std::vector<SlotBucket> fold(std::span<const SlotBucket> detail, int64_t ratio, Combine combine);

// Returns the lowest chunk of the tier that its retention still covers.
ChunkNo oldest_kept(const Tier& tier, int64_t now_s);

}  // namespace statmill
