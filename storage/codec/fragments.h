// Fragments: buckets and histograms of one series, cut into chunks and encoded for StoreBatch.
#pragma once

#include <span>
#include <vector>

#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

// Appends one fragment of the tier for each chunk that `buckets` (ascending) reach. Leaves out chunks below
// `oldest`.
void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotBucket> buckets, ChunkNo oldest);

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotHistogram> histograms, ChunkNo oldest);

}  // namespace statmill
