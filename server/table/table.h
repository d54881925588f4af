// Table: all series in RAM, in 256 lock-sharded hash tables, with every bucket that is not yet in the store.
//
// Ingest applies batches, the tick collects what an epoch brought and takes away what is to be flushed,
// queries copy one series. Everything is a partial bucket: live, late and backfilled samples take one road.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"
#include "ingest/sample_sink.h"
#include "proto/batch.h"
#include "server/table/epoch_gate.h"
#include "server/table/name_arena.h"
#include "server/table/sender_limit.h"
#include "server/table/series_changes.h"
#include "server/table/shard.h"
#include "storage/activity.h"
#include "storage/journal/journal_draft.h"
#include "storage/retention.h"
#include "storage/store.h"

namespace statmill {

struct TableLimits {
  size_t series_max = 2'000'000;             // --limits.series: new names beyond are refused
  size_t sender_series_max = 0;              // --limits.series_per_sender: likewise; 0: no limit
  size_t pending_bytes = size_t{256} << 20;  // --pending.bytes: a shard over its share is flushed early;
                                             // at twice this samples are refused (memory_limit)
  Duration future_max = std::chrono::minutes(10);  // --limits.future: samples further ahead are refused
};

// One series whose pending buckets are on their way into the store.
struct FlushedSeries {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  const Window* window = nullptr;  // valid until Table::end_flush

  Combine combine() const { return kind == Kind::kEvent ? Combine::kAddEvents : Combine::kMerge; }
};

struct ShardFlush {
  std::vector<FlushedSeries> series;
  std::vector<ErasedSeries> erased;
  std::vector<SeriesActivity> activity;  // of all series of the shard that have been collected
};

// Everything in RAM about one series, and how it relates to the store (invariant B).
struct SeriesCopy {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  ShardNo shard = 0;
  std::string name;
  Slot first_slot = Series::kNever;
  Slot last_slot = Series::kNever;
  std::vector<SlotBucket> unflushed;     // deltas and pending, combined
  std::vector<SlotBucket> flushing;      // in the store from flushing_tick on
  HistogramWindow unflushed_histograms;  // where they are wanted, of the same slots
  HistogramWindow flushing_histograms;
  SlotRange erased;  // of what the store has: void, and there no more from flushing_tick on
  TickNo flushed_tick = 0;
  TickNo flushing_tick = 0;
};

// Thread-safe.
class Table final : public SampleSink {
 public:
  Table(Retention retention, TableLimits limits)
      : retention_(std::move(retention)),
        limits_(limits),
        sender_limit_(limits.sender_series_max),
        retention_max_s_(retention_.longest().coarsest().retention_s),
        retention_min_s_(retention_.shortest(RetentionClasses().set()).coarsest().retention_s) {}

  // Adds the batch's samples, all in one epoch. Samples not taken are counted in batch.refused, and how many
  // were taken is returned. Cost: one lock per touched shard, or two.
  uint64_t apply(Batch& batch, Timestamp now) override;
  // Called in the epoch that takes a batch, when its samples are in: what it notes for that parity goes into
  // the same tick. Must not call the table.
  using Mark = std::function<void(int parity)>;
  // The same for a batch that its sender keeps until it is durable, and that may be of no samples: `mark` is
  // called once, when batch.refused is complete. Nothing is refused for want of memory: ask has_room() first.
  // The sender's clock was at `sent`: samples without a time are of then, and none is too new that is not
  // beyond both clocks by more than the limit.
  uint64_t apply_marked(Batch& batch, Timestamp now, Timestamp sent, const Mark& mark);
  // Whether senders that can wait should send: they stop well before samples are refused.
  bool has_room() const { return ram_bytes() < limits_.pending_bytes + limits_.pending_bytes / 2; }

  // The tick's side; one thread.
  struct EpochEnd {
    int parity = 0;  // of the epoch that ended
    ChangedSeries changed;
  };
  // Ends the epoch. The changes come between it and the next: a batch of samples is wholly before them or
  // wholly after. Requires: all earlier epochs are collected, no flush is under way, and the shards of all
  // names concerned, old and new, are collected without journal and flushed next. Cost: microseconds for a
  // series, for which ingest waits.
  EpochEnd end_epoch(const SeriesChanges& changes = {});
  // Moves the epoch's deltas to pending; with their journal entries to `journal`, unless that is null, since
  // they are flushed in this very tick. Gives the series that the epoch made.
  std::vector<SeriesRow> collect(ShardNo shard, int parity, JournalDraft* journal);
  bool is_over_share(ShardNo shard) const;
  ShardFlush begin_flush(ShardNo shard, TickNo tick);  // Requires: no flush of the shard under way
  void end_flush(ShardNo shard);                       // the store has it: drop it from RAM

  // Start-up; before any other thread.
  Series* restore_series(const SeriesRow& row);
  void restore_deleted(SeriesId id);
  void restore_shard(ShardNo shard, TickNo flushed);
  void end_replay();  // once, when journal rows have been replayed into the series

  // The query's side.
  // Changes whenever series are deleted or renamed, and is not given while that goes on. When it is the same
  // before and after a search and the copies of what was found, all of that is of one moment as to names.
  uint64_t names_version() const;
  std::optional<SeriesCopy> copy(std::string_view name, Wanted wanted = Wanted::kBuckets) const;
  // Calls `visit` with every name that matches, in no order, without a lock, until it returns false. Names
  // stay where they are for as long as the table lives.
  void search(const Glob& glob, const NameArena::Visit& visit) const { names_.search(glob, visit); }
  struct Brief {
    Kind kind = Kind::kGauge;
    RetentionClass retention = kDefaultRetention;
    Slot last_slot = Series::kNever;
  };
  std::optional<Brief> brief(std::string_view name) const;

  // The newest slot that a sample was ever taken for; none: Series::kNever.
  Slot newest_slot() const { return newest_slot_.load(std::memory_order_relaxed); }

  size_t series_count() const { return series_count_.load(std::memory_order_relaxed); }
  // Made by samples since the start, deleted ones too.
  uint64_t series_made() const { return series_made_.load(std::memory_order_relaxed); }
  size_t name_bytes() const { return names_.ram_bytes(); }
  size_t sender_count() const { return sender_limit_.sender_count(); }
  const TableLimits& limits() const { return limits_; }
  size_t ram_bytes() const { return ram_bytes_.load(std::memory_order_relaxed); }
  uint64_t kind_mismatches() const { return kind_mismatches_.load(std::memory_order_relaxed); }
  const Retention& retention() const { return retention_; }
  const Tiers& tiers() const { return retention_.tiers(); }

 private:
  struct Placed;  // a sample of a batch: its hash and slot
  struct Moment;
  class Held;    // the shards of some samples, locked
  struct Taken;  // a series out of its shard
  void note_deltas(size_t grown);
  void note_pending(Shard& shard, Series& series, size_t bytes_before) REQUIRES(shard.mutex);
  std::optional<Refusal> admit_series(const LineSender& sender);
  // A new series, in the index too; with the next id, unless it has one.
  Series& make(Shard& shard, uint64_t hash, std::string_view name, Kind kind, RetentionClass retention,
               std::optional<SeriesId> id = {}) REQUIRES(shard.mutex);
  Series& create(Shard& shard, uint64_t hash, const Sample& sample, RetentionClass retention, size_t parity)
      REQUIRES(shard.mutex);
  std::vector<Placed> place(Batch& batch, Timestamp now, Timestamp sent);
  void note_newest(Slot slot);
  uint64_t apply_placed(std::span<const Placed> placed, Batch& batch, Timestamp now, int parity);
  uint64_t apply_together(std::span<const Placed> samples, Batch& batch, const Moment& moment);
  std::optional<Refusal> apply_one(Shard& shard, const Placed& placed, SeriesArena::Number guess,
                                   const Batch& batch, const Moment& moment) REQUIRES(shard.mutex);

  bool mark_erased(std::string_view name, SlotRange slots, ChangedSeries& changed);
  std::optional<Taken> take(std::string_view name, int parity);
  std::optional<ChangedSeries::Renamed> rename(const NewName& names, int parity);
  ErasedSeries erase(Shard& shard, const Shard::Erasure& erasure) REQUIRES(shard.mutex);

  const Retention retention_;
  const TableLimits limits_;
  SenderLimit sender_limit_;
  const int64_t retention_max_s_;  // of the coarsest tier, of the class that is kept longest
  const int64_t retention_min_s_;  // the same of that kept shortest
  EpochGate gate_;
  std::array<Shard, kShardCount> shards_;
  SeriesArena series_;  // changed under names_mutex_; each series is its shard's
  // Taken for a new series or a changed name only, inside its shard's; nothing is locked inside it.
  Mutex names_mutex_;
  SeriesId next_id_ GUARDED_BY(names_mutex_) = 0;
  NameArena names_;  // written under names_mutex_, searched without
  // Each adds up what shards do under their own locks; read for limits and /metrics, where a moment's error
  // is no harm: relaxed.
  std::atomic<size_t> series_count_{0};
  std::atomic<uint64_t> series_made_{0};
  std::atomic<size_t> ram_bytes_{0};  // of deltas, pending and flushing windows
  std::atomic<uint64_t> kind_mismatches_{0};
  std::atomic<Slot> newest_slot_{Series::kNever};  // goes up; relaxed: it stands for itself
  // Odd while names change. Written by the tick: released before the change and after it; acquired by
  // queries.
  std::atomic<uint64_t> names_version_{0};
};

}  // namespace statmill
