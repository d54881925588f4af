// Rollup: from buckets of the finest tier to buckets of the coarser ones. Aggregation, never
// decimation: all samples reach all tiers. Pure arithmetic over slots.
#pragma once

#include <span>
#include <vector>

#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"
#include "storage/tiers.h"

namespace statmill {

// The buckets of `to`, ascending, made of buckets of the finest tier `from`, ascending. In an event series
// each fine bucket is a slot's total and counts as one observation of its rate; silent slots are left to the
// reader.
std::vector<SlotBucket> roll_up(std::span<const SlotBucket> fine, const Tier& from, const Tier& to,
                                Kind kind);

// The same of histograms, which hold samples in any tier.
std::vector<SlotHistogram> roll_up(std::span<const SlotHistogram> fine, const Tier& from, const Tier& to);

// The lowest chunk of the tier that its retention still covers.
ChunkNo oldest_kept(const Tier& tier, int64_t now_s);

}  // namespace statmill
