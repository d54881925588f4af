// Table: all series in RAM, in 256 lock-sharded hash tables, with every bucket that is not yet in the store.
//
// Ingest applies batches, the tick collects what an epoch brought and takes away what is to be flushed,
// queries copy one series. Everything is a partial bucket: live, late and backfilled samples take one road.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"
#include "proto/batch.h"
#include "server/table/activity.h"
#include "server/table/epoch_gate.h"
#include "server/table/shard.h"
#include "storage/journal.h"
#include "storage/store.h"
#include "storage/tiers.h"

namespace statmill {

struct TableLimits {
  size_t series_max = 2'000'000;             // --limits.series: new names beyond are refused
  size_t pending_bytes = size_t{512} << 20;  // --pending.bytes: a shard over its share is flushed early;
                                             // at twice this samples are refused (memory_limit)
  Duration future_max = std::chrono::minutes(10);  // --limits.future: samples further ahead are refused
};

// What one epoch brought to one shard.
struct ShardDelta {
  std::vector<SeriesRow> created;
  std::vector<JournalEntry> entries;
};

// One series whose pending buckets are on their way into the store.
struct FlushedSeries {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  std::span<const SlotBucket> buckets;  // valid until Table::end_flush
};

struct ShardFlush {
  std::vector<FlushedSeries> series;
  std::vector<SeriesActivity> activity;  // of all series of the shard
};

// Everything in RAM about one series, and how it relates to the store (invariant B).
struct SeriesCopy {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  ShardNo shard = 0;
  std::string name;
  Slot first_slot = Series::kNever;
  Slot last_slot = Series::kNever;
  std::vector<SlotBucket> unflushed;  // deltas and pending, combined
  std::vector<SlotBucket> flushing;   // in the store from flushing_tick on
  TickNo flushed_tick = 0;
  TickNo flushing_tick = 0;
};

// Thread-safe.
class Table {
 public:
  // `tiers` must outlive it.
  Table(const Tiers& tiers, TableLimits limits) : tiers_(tiers), limits_(limits) {}

  // Adds the batch's samples, all in one epoch. Samples not taken are counted in batch.refused, and how many
  // were taken is returned. Cost: one lock per touched shard.
  uint64_t apply(Batch& batch, Timestamp now);

  // The tick's side; one thread.
  int flip_epoch() { return gate_.flip(); }
  ShardDelta collect(ShardNo shard, int parity);  // moves the epoch's deltas to pending
  bool is_over_share(ShardNo shard) const;
  ShardFlush begin_flush(ShardNo shard, TickNo tick);  // Requires: no flush of the shard under way
  void end_flush(ShardNo shard);                       // the store has it: drop it from RAM

  // Start-up; before any other thread.
  Series* restore_series(const SeriesRow& row);
  void restore_shard(ShardNo shard, TickNo flushed);
  void restore_pending(ShardNo shard, Series& series, const JournalEntry& entry);

  // The query's side.
  std::optional<SeriesCopy> copy(std::string_view name) const;
  // Calls `visit` with every series that matches, in no order, under the shard's lock: copy and return.
  void for_each_match(const Glob& glob, const std::function<void(const Series&)>& visit) const;

  size_t series_count() const { return series_count_.load(std::memory_order_relaxed); }
  size_t ram_bytes() const { return buckets_.load(std::memory_order_relaxed) * sizeof(SlotBucket); }
  uint64_t kind_mismatches() const { return kind_mismatches_.load(std::memory_order_relaxed); }
  const Tiers& tiers() const { return tiers_; }

 private:
  struct Placed;  // a sample of the batch: its hash, slot and where it stands
  Shard& shard(ShardNo n) { return shards_[n]; }
  Series* find_or_create(Shard& shard, uint64_t hash, const Sample& sample, int parity) REQUIRES(shard.mutex);
  std::optional<Refusal> apply_one(Shard& shard, const Placed& placed, const Sample& sample, int parity)
      REQUIRES(shard.mutex);

  const Tiers& tiers_;
  const TableLimits limits_;
  EpochGate gate_;
  std::array<Shard, kShardCount> shards_;
  // Each adds up what shards do under their own locks; read for limits and /metrics, where a moment's error
  // is no harm: relaxed.
  std::atomic<SeriesId> next_id_{0};
  std::atomic<size_t> series_count_{0};
  std::atomic<size_t> buckets_{0};  // partial buckets in all runs
  std::atomic<uint64_t> kind_mismatches_{0};
};

}  // namespace statmill
