// StoragePipeline: what the server does with buckets between the end of a tick and the store, out of storage/
// alone: journal rows, pending, fragments, one StoreBatch per tick.
//
// It stands in for server/tick and the pending sets of server/table, which tools may not use. Whoever changes
// how those work changes this file too, or the suite measures a server that is no more.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "storage/codec/window.h"
#include "storage/journal/journal.h"
#include "storage/store.h"

namespace statmill {

// What one tick brought of one series.
struct Arrival {
  SeriesId id = 0;
  Bucket bucket;  // not empty
};

// Adds the fragments of the finest tier that a flush makes of a window: one per chunk, and of a single chunk
// the window's entries as they stand.
void add_window(std::vector<StoreBatch::Fragment>& out, const Tier& tier, SeriesId id, Combine combine,
                Window window);

// Confined to one thread.
class StoragePipeline {
 public:
  struct Options {
    Kind kind = Kind::kGauge;      // of all series
    size_t ticks_per_flush = 600;  // each shard is flushed once in so many ticks, staggered evenly
  };
  // `shards`: of each series, by id. `store` must outlive it.
  StoragePipeline(Store& store, const std::vector<ShardNo>& shards, const Options& options);

  // One tick, written as a whole. `arrivals`: by id, each series at most once.
  Status tick(Slot slot, std::span<const Arrival> arrivals);
  // A last tick, that flushes every shard.
  Status finish();

 private:
  std::string collect(Slot slot, std::span<const Arrival> arrivals);
  void flush(ShardNo shard, StoreBatch& batch);
  void trim_journal(StoreBatch& batch);

  Store& store_;
  const std::vector<ShardNo>& shards_;
  const Options options_;
  TickNo tick_ = 0;
  std::array<bool, kShardCount> due_{};  // to be flushed in this tick
  TickNo last_row_ = 0;
  size_t flushes_untrimmed_ = 0;
  TickNo trimmed_ = 0;
  std::array<TickNo, kShardCount> flushed_{};
  std::array<std::vector<SeriesId>, kShardCount> members_;
  std::vector<Window> pending_;  // by series; journaled, not yet in fragments
};

}  // namespace statmill
