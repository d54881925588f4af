// PastChunks: the chunks of the demo's history, made when they are read. No store holds them.
#pragma once

#include <string>

#include "server/demo/demo_world.h"
#include "storage/ids.h"
#include "storage/rollup.h"
#include "storage/slot_bucket.h"
#include "storage/slot_histograms.h"
#include "storage/tiers.h"

namespace statmill {

// The id of a series is its position in DemoWorld::series(). Immutable; thread-safe.
class PastChunks {
 public:
  // Slots of coarser tiers that begin earlier are made of a part of their samples, evenly spread, each of
  // which counts for the others; 2 years of hours would else take seconds per series. No finer tier of the
  // demo's retention shows those samples.
  static constexpr int64_t kWholeSeconds = int64_t{4} * 86400;
  static constexpr int64_t kWholeHistogramSeconds = int64_t{2} * 86400 + 43200;

  // Both must outlive it. `tiers`: those of the store, with the longest retention of any class.
  PastChunks(const DemoWorld& world, const Tiers& tiers);

  SeriesId count() const { return static_cast<SeriesId>(world_.series().size()); }
  // Returns whether the past has the tier: the detail tier only if a class keeps it.
  bool has(TierNo tier) const {
    return tier < tiers_.count() || (tiers_.is_detail(tier) && tiers_.keep_detail());
  }
  // The first chunk of the tier with data. Seconds are as old as their retention at the start.
  ChunkNo first(TierNo tier) const {
    return tiers_.is_detail(tier) ? oldest_kept(tiers_.detail(), world_.start_s())
                                  : tiers_[tier].chunk_of_time(world_.begin_s());
  }
  // The last one. Coarser tiers may have none in it.
  ChunkNo last(TierNo tier) const { return tiers_[tier].chunk_of_time(world_.start_s()); }
  // The first slot of the finest tier after the past: the present one.
  Slot end() const { return end_; }
  // The chunk of the finest tier that holds end(). Coarser tiers have what is before it.
  ChunkNo open_chunk() const { return tiers_.finest().chunk_of_slot(end_); }

  // Returns the frames of the chunk (storage/codec/codec.h); an empty text if it has no data. Cost: a pass
  // over its slots. Requires: has(key.tier).
  std::string frames(const ChunkKey& key) const;

 private:
  struct Slots {
    std::vector<SlotBucket> buckets;
    std::vector<SlotHistogram> histograms;
  };
  struct SlotRange {
    Slot begin = 0;
    Slot end = 0;
    Slot stride = 1;
  };
  static void add(Slot slot, const DemoSample& sample, Slots& out);
  void seconds(const DemoSeries& series, Slot begin, Slot end, Slots& out) const;
  void fine(const DemoSeries& series, Slot begin, Slot end, Slot stride, Slots& out) const;
  void coarse(const DemoSeries& series, const Tier& tier, SlotRange range, Slots& out) const;

  const DemoWorld& world_;
  const Tiers& tiers_;
  const Slot end_;
};

}  // namespace statmill
