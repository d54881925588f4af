// Store: the interface between the storage engine and table, tick and query. RocksStore is the embedded
// implementation; tests have one in memory.
//
// One writer (the tick) submits StoreBatches. Each is applied as a whole or not at all, in order, and once:
// submitting a batch again after a failed write finds out whether it was applied. Readers use snapshots.
// Nothing here reads a clock or starts a thread of ours.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "storage/agent_row.h"
#include "storage/clock_row.h"
#include "storage/document_row.h"
#include "storage/exemplar_row.h"
#include "storage/expiry.h"
#include "storage/family_row.h"
#include "storage/ids.h"
#include "storage/series_row.h"
#include "storage/slot_bucket.h"
#include "storage/tiers.h"
#include "storage/whole_row.h"

namespace statmill {

// Everything that one tick writes. Invariant A: what belongs together is in one batch.
struct StoreBatch {
  struct Row {
    TickNo tick = 0;
    std::string bytes;
  };
  struct Fragment {
    ChunkKey key;
    std::string frames;  // appended to the chunk's frames
  };
  struct Flushed {  // the shard's journal rows up to `tick` are now in fragments
    ShardNo shard = 0;
    TickNo tick = 0;
    std::string activity;  // opaque to the store: first and last slot of the shard's series
  };
  struct Trim {  // removes journal rows of ticks in [begin, end); rows below `begin` are already gone
    TickNo begin = 0;
    TickNo end = 0;
  };

  // The number of this tick; it grows from batch to batch. If it equals the store's newest tick, this is the
  // same batch again and is not applied twice. 0: not a tick, always applied.
  TickNo tick = 0;
  std::vector<SeriesRow> series;  // new and changed ones
  std::vector<SeriesId> deleted;  // their rows stay as such; may include series that are new in this batch
  std::vector<Row> journal;
  std::vector<Fragment> fragments;
  std::vector<Flushed> flushed;
  std::vector<AgentRow> agents;           // the agents whose batches this one holds
  std::vector<AgentId> forgotten_agents;  // their rows are removed
  // No batch newer than this was accepted from any forgotten agent (AgentRow::newest). Never decreases.
  std::optional<Timestamp> forgotten_until;
  std::vector<FamilyRow> families;             // new and changed ones
  std::vector<FamilyKey> removed_families;     // none of them is in `families`
  std::vector<DocumentRow> documents;          // new and changed ones
  std::vector<DocumentKey> removed_documents;  // none of them is in `documents`
  // The store keeps the larger of one of these and of that which it has.
  std::vector<ExemplarRow> exemplars;
  std::vector<ExemplarRange> removed_exemplars;  // those in the store and those of this batch
  std::vector<Row> values;                       // value_row.h: at most one, of this tick
  std::optional<Trim> values_trim;               // the same for these rows as journal_trim for the journal
  std::optional<RollupPosition> rollup_position;
  std::optional<Trim> journal_trim;
  std::optional<ClockRow> clock;
  std::optional<WholeRow> whole;
  std::optional<HashSecret> hash_secret;  // in the first batch with a tick only

  bool is_empty() const {
    return series.empty() && deleted.empty() && journal.empty() && fragments.empty() && flushed.empty() &&
           agents.empty() && forgotten_agents.empty() && !forgotten_until && families.empty() &&
           removed_families.empty() && documents.empty() && removed_documents.empty() && exemplars.empty() &&
           removed_exemplars.empty() && values.empty() && !values_trim && !rollup_position && !journal_trim &&
           !clock && !whole && !hash_secret;
  }
};

struct AgentRows {
  std::vector<AgentRow> rows;
  uint64_t damaged = 0;                      // rows that failed their check
  std::optional<Timestamp> forgotten_until;  // see StoreBatch; nullopt: no agent was ever forgotten
};

// A frozen view. Confined to one thread; must not outlive its Store. Release it soon: while it lives the
// store may be unable to recover from a failed write.
class StoreSnapshot {
 public:
  virtual ~StoreSnapshot() = default;

  virtual Result<TickNo> last_tick() = 0;                  // of the newest batch with a tick; 0 if none
  virtual Result<TickNo> flushed_tick(ShardNo shard) = 0;  // 0 if never flushed
  virtual Result<RollupPosition> rollup_position() = 0;
  // Returns nullopt if none was written.
  virtual Result<std::optional<ClockRow>> clock() = 0;
  // Returns nullopt if none was written. Errors: kCorrupt.
  virtual Result<std::optional<WholeRow>> whole() = 0;
  // The secret of the hash that chooses the shards of names; nullopt: it has none. Errors: kCorrupt.
  virtual Result<std::optional<HashSecret>> hash_secret() = 0;
  // Returns the rows of all agents, in no order, and what remains known of forgotten ones.
  virtual Result<AgentRows> agents() = 0;
  // Returns all families, in no order.
  virtual Result<FamilyRows> families() = 0;
  // Returns all documents, by key.
  virtual Result<DocumentRows> documents() = 0;
  // Visits the rows of last values, by tick.
  virtual Status values(const std::function<Status(TickNo, std::string_view row)>& visit) = 0;
  // Visits the exemplars of one series in the slots [begin, end) that are not expired, by slot, until `visit`
  // returns false. Returns how many rows were left out because they are damaged.
  virtual Result<uint64_t> exemplars(const ExemplarRange& range,
                                     const std::function<bool(const ExemplarRow&)>& visit) = 0;
  // Returns the frames of one chunk, or an empty string if there are none.
  virtual Result<std::string> chunk(const ChunkKey& key) = 0;
  // The same for many series: visits the chunks that have frames, with their position in `ids`. The frames
  // are valid during the call. Requires: `ids` ascend.
  virtual Status chunks(TierNo tier, ChunkNo chunk, std::span<const SeriesId> ids,
                        const std::function<void(size_t position, std::string_view frames)>& visit) = 0;
  // Visits the chunks of (tier, chunk) with id >= first, by id, until `visit` returns false.
  virtual Status scan(TierNo tier, ChunkNo chunk, SeriesId first,
                      const std::function<bool(SeriesId, std::string_view frames)>& visit) = 0;
  // Chunks of the tier below this one were dropped (Store::expire) and are never returned.
  virtual ChunkNo floor(TierNo tier) = 0;
  // Returns the lowest chunk number that the tier still has, or nullopt if it has none.
  virtual Result<std::optional<ChunkNo>> oldest_chunk(TierNo tier) = 0;
};

// Called with everything a start needs to rebuild RAM, in this order: all shards; all series by id, including
// deleted ones; journal rows by tick.
struct LoadVisitor {
  std::function<Status(SeriesRow)> series;
  std::function<Status(ShardNo, TickNo flushed, std::string_view activity)> shard;
  // Rows of ticks above the lowest flushed one; some of their entries may belong to shards flushed later.
  std::function<Status(TickNo, std::string_view row)> journal;
  std::function<Status(SeriesId)> deleted;
};

// Bytes written to files since the store was opened; zeros if the engine does not count them. Not in it: what
// the file system adds, and that each sync of the log writes its last page again.
struct WrittenBytes {
  uint64_t log = 0;         // write-ahead
  uint64_t flush = 0;       // write buffers that became files
  uint64_t compaction = 0;  // files made of files, and at a start of what the log had

  uint64_t total() const { return log + flush + compaction; }
};

// Blocks that reads and compactions looked for in the block cache since the store was opened.
struct CacheLookups {
  uint64_t hits = 0;
  uint64_t misses = 0;  // read from the disk, or from the system's page cache
};

// The engine delays writes (kSlowed), or lets them wait (kStopped), while flushes or compactions lag.
enum class StallState : uint8_t { kNone, kSlowed, kStopped };

// Since the store was opened.
struct WriteStalls {
  uint64_t slowdowns = 0;             // times that a part of the store began to be slowed
  uint64_t stops = 0;                 // the same for kStopped
  std::chrono::microseconds time{0};  // of writes that have waited; one that still waits is not in it
};

// What the bytes of the database are.
struct DatabaseBytes {
  uint64_t live = 0;             // of files, without what newer rows replace: an estimate
  uint64_t files = 0;            // of the files that hold the data, all families
  uint64_t obsolete = 0;         // of files that are replaced, but are still read or not deleted yet
  uint64_t log = 0;              // write-ahead
  uint64_t compaction_debt = 0;  // of files that compactions have to rewrite: an estimate
};

struct TierStats {
  TierNo tier = 0;
  uint64_t bytes_on_disk = 0;  // of its files; without what is in write buffers and logs
};

struct StoreStats {
  uint64_t bytes_on_disk = 0;
  uint64_t memory_bytes = 0;    // buffers and caches of the engine
  uint64_t damaged_frames = 0;  // seen by merges since start
  WrittenBytes written;
  CacheLookups cache;
  WriteStalls stalls;
  DatabaseBytes database;     // zeros if the engine does not know
  uint64_t expired_rows = 0;  // past their class's retention, dropped by compactions since start
  uint64_t reopenings = 0;    // times the store was closed and opened again after a disk fault
  std::optional<uint64_t> disk_free_bytes = {};  // of the file system of the data; nullopt if unknown
  std::vector<TierStats> tiers = {};             // all, the finest first, the detail tier last
};

// Thread-safe: one writer, any number of readers.
class Store {
 public:
  virtual ~Store() = default;

  virtual const Tiers& tiers() const = 0;
  // Applies the batch as a whole and makes it durable before it returns. After an error the batch may or may
  // not be in the store: write the same batch, unchanged, until write() succeeds. These calls also recover
  // the store once the disk works again.
  virtual Status write(const StoreBatch& batch) = 0;
  // Reads from it fail with kUnavailable while the store is recovering.
  virtual std::unique_ptr<StoreSnapshot> snapshot() = 0;
  virtual Status load(const LoadVisitor& visitor) = 0;
  // Drops every chunk of the tier below `chunk`, unless that has been done before: they are no longer read,
  // and reclaim() frees their space. Returns about how many bytes of files that is. Cost: one row.
  virtual Result<uint64_t> expire(TierNo tier, ChunkNo chunk) = 0;
  // Lowers the floor of the tier to `chunk`, so that data can be written there again; what is left of the old
  // chunks is readable again. No effect if the floor is not above `chunk`. Cost: one row.
  virtual Status keep_from(TierNo tier, ChunkNo chunk) = 0;
  // Which chunks above those floors are expired by the class of their series. The store drops them in its own
  // time, so reads must not rely on it.
  virtual Expiry& expiry() = 0;
  // Frees the space of dropped chunks, whole files at a time, and of expired ones if that is worth rewriting
  // the files: one chunk number of one tier per call. Returns false if nothing is left until more expires.
  // Cost: it rewrites the files of that chunk number, so call it from a thread of its own, one call at a
  // time. If `cancelled` becomes true it returns false soon. Errors: kIo, kCorrupt.
  virtual Result<bool> reclaim(std::atomic<bool>& cancelled) = 0;
  // Returns a number for has_snapshot_before().
  virtual uint64_t moment() = 0;
  // Returns false only if every snapshot that lives has all that was written before the call of moment() that
  // returned `moment`.
  virtual bool has_snapshot_before(uint64_t moment) = 0;
  // Looks at the first chunk number from `from` on, tier by tier, of which there are rows, and removes the
  // ids that have one, even if it is dropped or expired: a lowered floor makes dropped chunks readable again.
  // Returns the place after that chunk number, or nullopt if there is none. Requires: `ids` ascend. Cost: a
  // seek for each run of ids, 5 us or a read from the disk each; call it on a thread of its own. Errors:
  // kUnavailable if cancelled or while the store recovers, kIo, kCorrupt.
  virtual Result<std::optional<TierChunk>> remove_used(std::vector<SeriesId>& ids, TierChunk from,
                                                       const std::atomic<bool>& cancelled) = 0;
  virtual StoreStats stats() = 0;
};

}  // namespace statmill
