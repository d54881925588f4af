// Flush: turns what a shard had pending into fragments for every tier that already has those slots.
#pragma once

#include <vector>

#include "server/table/table.h"
#include "storage/store.h"

namespace statmill {

// Confined to the tick's thread, for one tick.
class FragmentBuilder {
 public:
  // `position`: the rollup as it will stand when the fragments are committed. All must outlive it.
  FragmentBuilder(const Tiers& tiers, StoreSnapshot& snapshot, RollupPosition position, int64_t now_s)
      : tiers_(tiers), snapshot_(snapshot), position_(position), now_s_(now_s) {}

  // Adds the fragments of one series. Errors: from reading the store (late events read their chunk).
  Status add(const FlushedSeries& series, std::vector<StoreBatch::Fragment>& out);

 private:
  Status add_chunk(SeriesId id, Kind kind, ChunkNo chunk, std::span<const SlotBucket> buckets,
                   std::vector<StoreBatch::Fragment>& out);
  Status rebuild_event_rollup(SeriesId id, ChunkNo chunk, std::span<const SlotBucket> buckets,
                              std::vector<StoreBatch::Fragment>& out);

  const Tiers& tiers_;
  StoreSnapshot& snapshot_;
  const RollupPosition position_;
  const int64_t now_s_;
};

}  // namespace statmill
