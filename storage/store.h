// Store: the seam under table, tick and query. RocksStore is the embedded one; tests have one in memory.
//
// One writer (the tick) hands in StoreBatches, each applied as a whole or not at all, in order, and once:
// what a failed write left behind is known when the batch is handed in again. Readers take snapshots. Nothing
// here reads a clock or starts a thread of ours.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/agent_row.h"
#include "storage/clock_row.h"
#include "storage/expiry.h"
#include "storage/ids.h"
#include "storage/slot_bucket.h"
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
    RowPart part = 0;
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
  struct Trim {  // rows of ticks below `end` are no longer needed; those below `begin` are gone already
    TickNo begin = 0;
    TickNo end = 0;
  };

  // Which tick this is: kept with the batch. A batch of the tick that the store has last is that batch again
  // and is not applied twice; ticks grow. 0: no tick, always applied.
  TickNo tick = 0;
  std::vector<SeriesRow> series;  // new ones, and those that got another name
  std::vector<SeriesId> deleted;  // their ids stay used; also of series that are new in this batch
  std::vector<Row> journal;
  std::vector<Fragment> fragments;
  std::vector<Flushed> flushed;
  std::vector<AgentRow> agents;           // whose batches this one holds, and how far they are in
  std::vector<AgentId> forgotten_agents;  // their rows go
  // Of all agents ever forgotten: no batch made later was taken of one (AgentRow::newest). It never falls.
  std::optional<Timestamp> forgotten_until;
  std::optional<RollupPosition> rollup_position;
  std::optional<Trim> journal_trim;
  std::optional<ClockRow> clock;

  bool is_empty() const {
    return series.empty() && deleted.empty() && journal.empty() && fragments.empty() && flushed.empty() &&
           agents.empty() && forgotten_agents.empty() && !forgotten_until && !rollup_position &&
           !journal_trim && !clock;
  }
};

struct AgentRows {
  std::vector<AgentRow> rows;
  uint64_t damaged = 0;                      // rows that failed their check
  std::optional<Timestamp> forgotten_until;  // as StoreBatch has it; none: no agent was ever forgotten
};

// A frozen view. Confined to one thread; must not outlive its Store. Give it back soon: it may keep a store
// from mending itself.
class StoreSnapshot {
 public:
  virtual ~StoreSnapshot() = default;

  virtual Result<TickNo> last_tick() = 0;                  // of the newest batch that had one; 0: none
  virtual Result<TickNo> flushed_tick(ShardNo shard) = 0;  // 0 when never flushed
  virtual Result<RollupPosition> rollup_position() = 0;
  // None when none was written.
  virtual Result<std::optional<ClockRow>> clock() = 0;
  // Of all agents, in no order, and what is left of those that were forgotten.
  virtual Result<AgentRows> agents() = 0;
  // The frames of one chunk; empty when there are none.
  virtual Result<std::string> chunk(const ChunkKey& key) = 0;
  // Chunks of (tier, chunk) with id >= first, in id order, until `visit` returns false.
  virtual Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
                      const std::function<bool(SeriesId, std::string_view frames)>& visit) = 0;
  // Chunks of the tier below were dropped (Store::expire); what is written there is not read.
  virtual ChunkNo floor(TierNo tier) = 0;
  // The lowest chunk number the tier still has, or none.
  virtual Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) = 0;
};

// What a start needs to rebuild RAM, given in this order: all series by id, deleted ones among them, all
// shards, journal rows by tick.
struct LoadVisitor {
  std::function<Status(SeriesRow)> series;
  std::function<Status(ShardNo, TickNo flushed, std::string_view activity)> shard;
  // Rows of ticks above the lowest flushed one; their entries may be of shards flushed since.
  std::function<Status(TickNo, RowPart, std::string_view row)> journal;
  std::function<Status(SeriesId)> deleted;
};

// Bytes handed to the disk since the store was opened; zeros where the engine does not count them.
struct WrittenBytes {
  uint64_t log = 0;         // write-ahead
  uint64_t flush = 0;       // write buffers that became files
  uint64_t compaction = 0;  // files made of files

  uint64_t total() const { return log + flush + compaction; }
};

struct StoreStats {
  uint64_t bytes_on_disk = 0;
  uint64_t memory_bytes = 0;    // buffers and caches of the engine
  uint64_t damaged_frames = 0;  // seen by merges since start
  WrittenBytes written;
  uint64_t expired_rows = 0;  // dropped by compactions since start, because their class is kept shorter
  uint64_t reopenings = 0;    // times the store was opened anew after a fault of the disk
};

// Thread-safe: one writer, any number of readers.
class Store {
 public:
  virtual ~Store() = default;

  virtual const Tiers& tiers() const = 0;
  // Applies the batch as a whole and makes it durable before it returns. After an error it may or may not be
  // in the store: hand in the same batch, unchanged, until it is taken. A store mends itself in these calls
  // when the disk lets it.
  virtual Status write(const StoreBatch& batch) = 0;
  // Reads of it fail with kUnavailable while a store is being mended.
  virtual std::unique_ptr<StoreSnapshot> snapshot() = 0;
  virtual Status load(const LoadVisitor& visitor) = 0;
  // Drops every chunk of the tier below `chunk`, unless that has been done before: they are not read any
  // more, and reclaim() gives back their space. Returns how many bytes of files that is, about. Cost: one
  // row.
  virtual Result<uint64_t> expire(TierNo tier, ChunkNo chunk) = 0;
  // Chunks of the tier from `chunk` on are kept and read again, for data that are about to be written there,
  // and of the old ones what is left; nothing when they are. Cost: one row.
  virtual Status keep_from(TierNo tier, ChunkNo chunk) = 0;
  // Which chunks above those are expired, by the class of their series. They go when the store comes to it:
  // reads must not count on it.
  virtual Expiry& expiry() = 0;
  // Gives back the space of dropped chunks, whole files at a time, and of expired ones where that is worth
  // the writing: one chunk number of one tier per call. False: none is left, until more expires. Cost: the
  // files of that chunk number are written anew, so call it from a thread of its own, one at a time; ends
  // soon, with false, when `cancelled` turns true meanwhile. Errors: kIo, kCorrupt.
  virtual Result<bool> reclaim(std::atomic<bool>& cancelled) = 0;
  virtual StoreStats stats() = 0;
};

}  // namespace statmill
