// Store: the seam under table, tick and query. RocksStore is the embedded one; tests have one in memory.
//
// One writer (the tick) hands in StoreBatches, each applied as a whole or not at all, in order. Readers take
// snapshots. Nothing here reads a clock or starts a thread of ours.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/codec.h"
#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

struct SeriesRow {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  std::string name;
};

// All that one tick writes. Invariant A: what belongs together is in one batch.
struct StoreBatch {
  struct Row {
    TickNo tick = 0;
    ShardNo shard = 0;
    std::string bytes;
  };
  struct Fragment {
    ChunkKey key;
    std::string frames;  // merged onto what the chunk has
  };
  struct Flushed {  // the shard's journal rows up to `tick` are now in fragments
    ShardNo shard = 0;
    TickNo tick = 0;
    std::string activity;  // opaque to the store: first and last slot of the shard's series
  };

  std::vector<SeriesRow> series;
  std::vector<Row> journal;
  std::vector<Fragment> fragments;
  std::vector<Flushed> flushed;
  std::optional<RollupPosition> rollup_position;
  std::optional<TickNo> journal_trim;  // rows of ticks below this are no longer needed

  bool is_empty() const {
    return series.empty() && journal.empty() && fragments.empty() && flushed.empty() && !rollup_position &&
           !journal_trim;
  }
};

// A frozen view. Confined to one thread; must not outlive its Store.
class StoreSnapshot {
 public:
  virtual ~StoreSnapshot() = default;

  virtual Result<TickNo> flushed_tick(ShardNo shard) = 0;  // 0 when never flushed
  virtual Result<RollupPosition> rollup_position() = 0;
  // The frames of one chunk; empty when there are none.
  virtual Result<std::string> chunk(const ChunkKey& key) = 0;
  // Chunks of (tier, chunk) with id >= first, in id order, until `visit` returns false.
  virtual Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
                      const std::function<bool(SeriesId, std::string_view frames)>& visit) = 0;
  // The lowest chunk number the tier still has, or none.
  virtual Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) = 0;
};

// What a start needs to rebuild RAM, given in this order: all series, all shards, journal rows by tick.
struct LoadVisitor {
  std::function<Status(SeriesRow)> series;
  std::function<Status(ShardNo, TickNo flushed, std::string_view activity)> shard;
  std::function<Status(TickNo, ShardNo, std::string_view row)>
      journal;  // only rows above the shard's flushed tick
};

struct StoreStats {
  uint64_t bytes_on_disk = 0;
  uint64_t memory_bytes = 0;    // buffers and caches of the engine
  uint64_t damaged_frames = 0;  // seen by merges since start
};

// Thread-safe: one writer, any number of readers.
class Store {
 public:
  virtual ~Store() = default;

  virtual const Tiers& tiers() const = 0;
  // Applies the batch as a whole and makes it durable before it returns.
  virtual Status write(const StoreBatch& batch) = 0;
  virtual std::unique_ptr<StoreSnapshot> snapshot() = 0;
  virtual Status load(const LoadVisitor& visitor) = 0;
  // Drops every chunk of the tier below `chunk`. Cost: whole files, milliseconds.
  virtual Status expire(TierNo tier, ChunkNo chunk) = 0;
  virtual StoreStats stats() = 0;
};

}  // namespace statmill
