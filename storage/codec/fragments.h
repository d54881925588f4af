// Fragments: the buckets and histograms of one series, cut into chunks and encoded for a StoreBatch.
#pragma once

#include <span>
#include <vector>

#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

// Appends one fragment for each chunk that has any of `buckets`, except chunks below `oldest`.
// Requires: `buckets` ascend.
void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotBucket> buckets, ChunkNo oldest);

// The same for histograms.
void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotHistogram> histograms, ChunkNo oldest);

}  // namespace statmill
