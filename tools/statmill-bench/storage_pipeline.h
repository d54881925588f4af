// StoragePipeline: does what the server does with buckets between the end of a tick and the store: journal
// rows, pending windows, fragments, one StoreBatch per tick.
//
// It replaces server/tick and the pending windows of server/table, which tools may not include. If their
// behaviour changes, this file must change too; otherwise the suite measures a server that no longer exists.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "storage/codec/window.h"
#include "storage/journal/journal.h"
#include "storage/store.h"

namespace statmill {

// The bucket that one tick has for one series.
struct Arrival {
  SeriesId id = 0;
  Bucket bucket;  // not empty
};

// Adds the fragments of a tier, the finest or the detail tier, that a flush makes from a window: one per
// chunk. If the window covers a single chunk, the fragment holds its entries unchanged.
void add_window(std::vector<StoreBatch::Fragment>& out, const Tiers& tiers, TierNo tier, SeriesId id,
                Combine combine, const Window& window);

// Confined to one thread.
class StoragePipeline {
 public:
  struct Options {
    Kind kind = Kind::kGauge;      // the kind of all series
    bool is_detailed = false;      // their slots are those of the detail tier
    size_t ticks_per_flush = 600;  // ticks between two flushes of a shard; shards are staggered evenly
  };
  // `shards` holds the shard of each series, by id. `store` must outlive this object.
  StoragePipeline(Store& store, const std::vector<ShardNo>& shards, const Options& options);

  // Writes one tick as a whole. `arrivals` are in order of id and hold each series at most once.
  Status tick(Slot slot, std::span<const Arrival> arrivals);
  // Writes a last tick that flushes every shard.
  Status finish();

 private:
  std::string collect(Slot slot, std::span<const Arrival> arrivals);
  void flush(ShardNo shard, StoreBatch& batch);
  void trim_journal(StoreBatch& batch);

  Store& store_;
  const std::vector<ShardNo>& shards_;
  const Options options_;
  TickNo tick_ = 0;
  std::array<bool, kShardCount> due_{};  // shards that this tick flushes
  TickNo last_row_ = 0;
  size_t flushes_untrimmed_ = 0;
  TickNo trimmed_ = 0;
  std::array<TickNo, kShardCount> flushed_{};
  std::array<std::vector<SeriesId>, kShardCount> members_;
  std::vector<Window> pending_;  // by series: buckets in the journal that are not in fragments yet
};

}  // namespace statmill
