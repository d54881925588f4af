// Flush: encodes the pending buckets of a shard as fragments, for every tier that already has their slots.
#pragma once

#include <span>
#include <vector>

#include "server/table/table.h"
#include "server/tick/clock_guard.h"
#include "storage/store.h"

namespace statmill {

// Builds the fragments of one tick. Confined to the tick thread.
class FragmentBuilder {
 public:
  struct Sources {  // all must outlive the builder
    const Retention& retention;
    const Expiry& expiry;
    const ClockGuard& clock;
    StoreSnapshot& snapshot;
  };
  // `position` is the rollup's position after the batch with these fragments is committed.
  FragmentBuilder(const Sources& sources, RollupPosition position)
      : retention_(sources.retention),
        expiry_(sources.expiry),
        clock_(sources.clock),
        snapshot_(sources.snapshot),
        position_(position) {}

  // Appends the fragments of one series. Errors: from reading the store (late events read their chunk).
  Status add(const FlushedSeries& series, std::vector<StoreBatch::Fragment>& out);
  // Appends fragments that erase the slots of these series, in every tier, from the store and from the
  // fragments in `out`. Requires: `out` has all other fragments of the series. Cost: one read per chunk of
  // these series, and O(n log n) for the n fragments and series.
  Status erase(std::span<const ErasedSeries> erased, std::vector<StoreBatch::Fragment>& out);

  // How often late events came for a damaged chunk. They were added to the coarser buckets, which otherwise
  // would have been computed again.
  uint64_t damaged() const { return damaged_; }
  // Buckets that were not written because they are past the retention of all tiers.
  uint64_t expired() const { return expired_; }

 private:
  struct Part {
    const FlushedSeries& series;
    std::span<const SlotBucket> buckets;        // of `chunk`
    std::span<const SlotHistogram> histograms;  // of `chunk`; empty unless the series is a distribution
    ChunkNo chunk;
  };
  bool copy_entries(const FlushedSeries& series, TierNo tier, std::vector<StoreBatch::Fragment>& out) const;
  void add_detail(const FlushedSeries& series, std::span<const SlotBucket> buckets,
                  std::span<const SlotHistogram> histograms, std::vector<StoreBatch::Fragment>& out) const;
  Status add_chunk(const Part& part, std::vector<StoreBatch::Fragment>& out);
  Result<bool> rebuild_event_rollup(const Part& part, std::vector<StoreBatch::Fragment>& out);
  ChunkNo oldest_detail() const;  // of any class
  Status erase_one(const ErasedSeries& series, std::span<const ChunkKey> written,
                   std::vector<StoreBatch::Fragment>& out);

  const Retention& retention_;
  const Expiry& expiry_;
  const ClockGuard& clock_;
  StoreSnapshot& snapshot_;
  const RollupPosition position_;
  uint64_t damaged_ = 0;
  uint64_t expired_ = 0;
};

}  // namespace statmill
