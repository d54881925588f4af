// Flush: turns what a shard had pending into fragments for every tier that already has those slots.
#pragma once

#include <span>
#include <vector>

#include "server/table/table.h"
#include "server/tick/clock_guard.h"
#include "storage/store.h"

namespace statmill {

// Confined to the tick's thread, for one tick.
class FragmentBuilder {
 public:
  struct Sources {  // all must outlive it
    const Retention& retention;
    const Expiry& expiry;
    const ClockGuard& clock;
    StoreSnapshot& snapshot;
  };
  // `position`: the rollup as it will stand when the fragments are committed.
  FragmentBuilder(const Sources& sources, RollupPosition position)
      : retention_(sources.retention),
        expiry_(sources.expiry),
        clock_(sources.clock),
        snapshot_(sources.snapshot),
        position_(position) {}

  // Adds the fragments of one series. Errors: from reading the store (late events read their chunk).
  Status add(const FlushedSeries& series, std::vector<StoreBatch::Fragment>& out);
  // Makes void what the store and `out` have of those slots, in every tier. Requires: all else that the batch
  // has of the series is in `out`. Cost: a read for each chunk.
  Status erase(const ErasedSeries& series, std::vector<StoreBatch::Fragment>& out);

  // Chunks that late events came for and that could not be read whole.
  uint64_t damaged() const { return damaged_; }
  // Buckets that no tier keeps any more.
  uint64_t expired() const { return expired_; }

 private:
  struct Part {
    const FlushedSeries& series;
    std::span<const SlotBucket> buckets;        // those of `chunk`
    std::span<const SlotHistogram> histograms;  // likewise
    ChunkNo chunk;
  };
  bool add_as_it_stands(const FlushedSeries& series, std::vector<StoreBatch::Fragment>& out) const;
  Status add_chunk(const Part& part, std::vector<StoreBatch::Fragment>& out);
  Result<bool> rebuild_event_rollup(const Part& part, std::vector<StoreBatch::Fragment>& out);

  const Retention& retention_;
  const Expiry& expiry_;
  const ClockGuard& clock_;
  StoreSnapshot& snapshot_;
  const RollupPosition position_;
  uint64_t damaged_ = 0;
  uint64_t expired_ = 0;
};

}  // namespace statmill
