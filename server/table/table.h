// Table: all series in RAM, in 256 hash tables with a lock each, and every bucket that is not yet in the
// store.
//
// Ingest applies batches; the tick collects the samples of an epoch and removes what has been flushed;
// queries copy one series. Every bucket is partial, so live, late and backfilled samples use the same code.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/verdict.h"
#include "ingest/sample_sink.h"
#include "proto/batch.h"
#include "server/names/name_index.h"
#include "server/table/epoch_gate.h"
#include "server/table/exemplar_table.h"
#include "server/table/family_table.h"
#include "server/table/index_renewal.h"
#include "server/table/sender_limit.h"
#include "server/table/series_changes.h"
#include "server/table/series_ends.h"
#include "server/table/series_ids.h"
#include "server/table/series_pieces.h"
#include "server/table/shard.h"
#include "storage/activity.h"
#include "storage/journal/journal_draft.h"
#include "storage/live_retention.h"
#include "storage/store.h"

namespace statmill {

struct TableLimits {
  // --limits.series: samples of new names are refused while so many series are active.
  size_t series_max = 2'000'000;
  size_t name_bytes =
      size_t{1} << 30;           // --limits.name_bytes: the same above these bytes of series with names
  size_t sender_series_max = 0;  // --limits.series_per_sender: the same for each sender; 0: no limit
  size_t pending_bytes = size_t{256} << 20;  // --pending.bytes: a shard over its share is flushed early;
                                             // above twice this, samples are refused (memory_limit)
  Duration future_max = std::chrono::minutes(10);  // --limits.future: samples further ahead are refused
  FamilyLimits families = {};
  size_t ends_max = 1'000'000;  // --limits.ended_series: the older half of more ends of series is forgotten
  ExemplarLimits exemplars = {};
  OtherKind other_kind = OtherKind::kRefuse;  // --limits.kind_mismatch, where the batch has no rule
};

// One series whose pending buckets are being written to the store.
struct FlushedSeries {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  bool is_detailed = false;        // the slots of `window` are those of the detail tier
  const Window* window = nullptr;  // valid until Table::end_flush

  Combine combine() const { return combine_of(kind); }
};

// What a flush looks for among the series of its shard.
struct FlushRules {
  // By retention class: the slot of the finest tier from which on a tier may have data. A series whose
  // samples are all older is silent. Empty: none is.
  std::span<const Slot> kept_from = {};
  size_t silent_max = 0;  // names of silent series that are wanted
  Slot active_from = 0;   // of the finest tier: series with a sample in it or later are active
  // Of the finest tier: series without a sample in it or later, and without samples in RAM, become idle when
  // the flush ends.
  Slot idle_before = Series::kNoSlot;
};

struct ShardFlush {
  std::vector<FlushedSeries> series;
  std::vector<ErasedSeries> erased;
  std::vector<SeriesActivity> activity;  // of all series of the shard that have been collected
  std::vector<std::string> silent;       // names; see FlushRules
  std::vector<SeriesRow> changed;        // of series that became detailed with this flush, or ceased to be
};

// Thread-safe.
class Table final : public SampleSink {
 public:
  Table(Retention retention, TableLimits limits)
      : retention_(std::move(retention)),
        limits_(limits),
        sender_limit_(limits.sender_series_max),
        families_(limits.families),
        ends_(limits.ends_max),
        exemplars_(limits.exemplars),
        read_index_(index_) {
    for (Shard& shard : shards_) shard.names = index_;
  }

  // Adds the batch's samples and families, all in one epoch. Returns how many samples were accepted; the
  // others are counted in batch.refused, like the families that a limit does not allow, which it removes from
  // the batch. Exemplars are added after the samples, in the same epoch, and counted in
  // batch.exemplars_accepted. Cost: one or two locks per shard that the batch touches, and for each exemplar.
  uint64_t apply(Batch& batch, Timestamp now) override;
  // Called after a batch's samples were added, in the same epoch. A state that it records for that parity
  // goes into the same tick as the samples. Must not call the table.
  using Mark = std::function<void(int parity)>;
  // Like apply(), for a batch whose sender keeps it until it is durable; the batch may have no samples.
  // `mark` is called once, when batch.refused is complete. Refuses nothing for lack of memory: call
  // has_room() first. `sent` is the time of the sender's clock. It is the time of samples that have none, and
  // a sample is too new only if it is ahead of both clocks by more than the limit.
  uint64_t apply_marked(Batch& batch, Timestamp now, Timestamp sent, const Mark& mark);
  // Returns whether senders that can wait may send. It turns false well before samples are refused.
  bool has_room() const { return ram_bytes() < limits_.pending_bytes + limits_.pending_bytes / 2; }

  // For the tick; one thread.
  struct EpochEnd {
    int parity = 0;  // of the epoch that ended
    ChangedSeries changed;
  };
  // Ends the epoch and applies the changes before the next one begins: every batch of samples comes wholly
  // before them or wholly after. Requires: all earlier epochs are collected, no flush is in progress, and the
  // shards of all old and new names are then collected without a journal and flushed, unless the change
  // deletes silent series only. Cost: microseconds per changed series, while ingest waits. Afterwards the
  // families of renamed series are known at their new paths, too, and those without series are forgotten:
  // about 1 ms for each such family and million names.
  EpochEnd end_epoch(const SeriesChanges& changes = {});
  // Returns what has changed in families up to the epoch that ended, perhaps a little later.
  FamilyTable::Changes take_family_changes() { return families_.take_changes(); }
  // Returns the exemplars of the epoch that ended.
  std::vector<ExemplarRow> take_exemplars(const EpochEnd& end, SteadyTime now) {
    if (!end.changed.deleted.empty()) exemplars_.forget(end.changed.deleted);
    return exemplars_.take(end.parity, now);
  }
  // Moves the epoch's deltas to pending and appends their entries to `journal`. `journal` is null if the
  // shard is flushed in the same tick: then it needs no entries. Returns the rows of the series that were
  // created or changed in the epoch.
  std::vector<SeriesRow> collect(ShardNo shard, int parity, JournalDraft* journal);
  // Adds the names of at most so many created series to the index, so that queries find few to add. Cost: as
  // names().
  void index_names(size_t most);
  // Copies so many names to a new index if more than kRemovedMax names, and more than an eighth as many as
  // there are series, were removed from the index; the new one replaces it when it has all names. Cost: 0.3
  // to 1 us for each name, and 30 ns for each series at the end.
  void renew_index(size_t most);
  static constexpr size_t kRemovedMax = 16'384;
  bool is_over_share(ShardNo shard) const;
  // Removes all pending buckets of the shard from its series. They stay in the table, and in copies of
  // series, until end_flush(). Requires: no flush of the shard is in progress.
  ShardFlush begin_flush(ShardNo shard, TickNo tick, const FlushRules& rules = {});
  // Counts the active series of all shards, as their flushes do: those that begin with the slot
  // `active_from`.
  void count_active(Slot active_from);
  // Replaces the retention. Series become detailed, or cease to be, with the next flushes of their shards.
  // Requires: it differs in times only (Retention::differs_in_times_only).
  void set_retention(Retention next) { retention_.set(std::move(next)); }
  // Frees the flushed buckets: the store has them. Series that the flush found at rest become idle. Cost: 0.5
  // us for each of these.
  void end_flush(ShardNo shard);

  // For the server's start, before any other thread uses the table.
  // Sets the secret of the hash that chooses the shards of names, before any series is restored. Without one
  // the hash is hash_name().
  void set_secret(const HashSecret& secret);
  struct Restored {
    Series* series = nullptr;  // nullptr if the series is idle
    IdlePool::Number idle = 0;
    RetentionClass retention = kDefaultRetention;
  };
  // `known` has Series::kNoSlot if no slot of the series is known. Cost: an idle series is added to the index
  // of names at once.
  Restored restore_series(const SeriesRow& row, const SeriesActivity& known, bool is_idle);
  // Returns an idle series that has samples after all. Thread-safe.
  Series* restore_awake(ShardNo shard, IdlePool::Number idle);
  void restore_deleted(SeriesId id);  // its id is in use until reuse_ids()
  void restore_shard(ShardNo shard, TickNo flushed);
  void end_replay();  // call once, after the journal rows are replayed into the series
  void restore_families(FamilyRows rows) { families_.restore(std::move(rows)); }

  // New series may have these ids, of removed series to which nothing refers any more (IdReuse). Thread-safe.
  void reuse_ids(std::span<const SeriesId> ids);

  ShardNo shard_of_name(std::string_view name) const { return shard_of(hash_of_(name)); }

  // For queries.
  // Returns a number that changes whenever series are deleted or renamed; waits while that is in progress. If
  // it is the same before a search and after the copies of the series found, all of them saw the same names.
  uint64_t names_version() const;
  // Returns nullopt if no series has that name. Cost: copies the bytes under the lock of its shard, and
  // decodes nothing.
  std::optional<SeriesPieces> pieces(std::string_view name, bool histograms) const;
  // Returns the index of the names of all series created before the call. Cost: 0.3 to 1 us for each of them
  // that is not in the index yet. It lets other threads use the index after each millisecond.
  std::shared_ptr<const NameIndex> names() const;
  // Calls `visit` with every name that matches, in no order, until it returns false. The text is valid during
  // the call.
  void search(const Glob& glob, const NameIndex::Visit& visit) const;
  struct SeriesSummary {
    SeriesId id = 0;
    Kind kind = Kind::kGauge;
    RetentionClass retention = kDefaultRetention;
    Slot first_slot = Series::kNoSlot;  // the oldest one that ever had a sample
    Slot last_slot = Series::kNoSlot;
  };
  std::optional<SeriesSummary> summary(std::string_view name) const;
  // Returns all series of a shard, in no order. Cost: copies them under the lock of the shard.
  std::vector<SeriesSummary> summaries(ShardNo shard) const;
  const FamilyTable& families() const { return families_; }
  // Which series have ended. Each writer of a series may end it there.
  SeriesEnds& ends() { return ends_; }
  const SeriesEnds& ends() const { return ends_; }
  const ExemplarTable& exemplars() const { return exemplars_; }

  // The newest slot of any accepted sample; Series::kNoSlot if there was none.
  Slot newest_slot() const { return newest_slot_.load(std::memory_order_relaxed); }
  // No series has an older slot than this one; Series::kNoSlot if there was no sample. Deleted series count
  // until the next start.
  Slot oldest_slot() const { return oldest_slot_.load(std::memory_order_relaxed); }

  // Series that were active at the last flush of their shard, and those created since.
  size_t active_count() const { return active_count_.load(std::memory_order_relaxed); }
  size_t series_count() const { return series_count_.load(std::memory_order_relaxed); }
  // Series that are idle; they are among the others.
  size_t idle_count() const { return idle_count_.load(std::memory_order_relaxed); }
  // All ids of series, also of removed ones, are below.
  SeriesId ids_end() const;
  // Series created by samples since the start, including those deleted since.
  uint64_t series_created() const { return series_created_.load(std::memory_order_relaxed); }
  // RAM of all series with their names, and of the index of names.
  size_t name_bytes() const {
    return series_bytes_.load(std::memory_order_relaxed) + index_bytes_.load(std::memory_order_relaxed);
  }
  // Series whose names are not in the index yet.
  size_t unindexed_count() const { return unindexed_count_.load(std::memory_order_relaxed); }
  // How often a new index of names has replaced the one before.
  uint64_t index_renewals() const { return index_renewals_.load(std::memory_order_relaxed); }
  // Silent series that were deleted.
  uint64_t series_expired() const { return series_expired_.load(std::memory_order_relaxed); }
  size_t sender_count() const { return sender_limit_.sender_count(); }
  const TableLimits& limits() const { return limits_; }
  size_t ram_bytes() const { return ram_bytes_.load(std::memory_order_relaxed); }
  // The retention in use: valid as long as the table, also after another has replaced it.
  const Retention& retention() const { return retention_.get(); }
  const LiveRetention& live_retention() const { return retention_; }
  // The tiers of the default class. Their steps and chunks never change.
  const Tiers& tiers() const { return retention().tiers(); }

 private:
  struct Placed;  // a sample of a batch with its hash and slot
  struct BatchContext;
  class ShardLocks;            // the locks of some samples' shards
  struct RemovedSeries;        // a series that was removed from its shard
  template <class SomeSeries>  // a Series or an IdleSeries
  static SeriesSummary summary_of(const SomeSeries& s);
  void note_families(Batch& batch);
  void note_exemplars(Batch& batch, Timestamp now, int parity);
  Verdict<ExemplarRefusal> note_exemplar(const Exemplar& exemplar, Timestamp now, int parity);
  void refuse_exemplars(Batch& batch, ExemplarRefusal reason);
  bool has_series_of(const FamilyKey& family) const;
  void change_families(const SeriesChanges& changes, const ChangedSeries& changed);
  // Returns the series, which is in the index of the shard, awake. Cost: 0.5 us if it was idle.
  SeriesArena::Number wake(Shard& shard, uint64_t hash, SeriesPlace found) REQUIRES(shard.mutex);
  // Returns nullptr if there is no such series.
  Series* find_awake(Shard& shard, uint64_t hash, std::string_view name) REQUIRES(shard.mutex);
  void make_idle(Shard& shard, const Series& series) REQUIRES(shard.mutex, index_mutex_);
  void settle(Shard& shard);
  void count_delta_bytes(size_t grown);
  static size_t bytes_of_new(std::string_view name);
  void count_pending_bytes(Shard& shard, Series& series, size_t bytes_before) REQUIRES(shard.mutex);
  Verdict<Refusal> admit_series(std::string_view name, const LineSender& sender);
  // Creates a series and adds it to the index. Its id is the next free one unless `id` is given.
  Series& create_series(Shard& shard, uint64_t hash, std::string_view name, Kind kind,
                        RetentionClass retention, std::optional<SeriesId> id = {}) REQUIRES(shard.mutex);
  Series& create_for_sample(Shard& shard, uint64_t hash, const Sample& sample, RetentionClass retention,
                            size_t parity) REQUIRES(shard.mutex);
  std::vector<Placed> place(Batch& batch, Timestamp now, Timestamp sent);
  void include_slots(Slot oldest, Slot newest);
  struct Times {
    Timestamp now;
    Timestamp sent;  // by the sender's clock
  };
  uint64_t apply_placed(std::span<Placed> placed, Batch& batch, const Times& times, int parity);
  Slot slot_for(const Series& series, const Placed& placed, const Sample& sample,
                const BatchContext& context) const;
  uint64_t apply_together(std::span<Placed> samples, Batch& batch, const BatchContext& context);
  struct Guess;  // which series a sample is of
  Guess guess_series(const Shard& shard, Placed& placed, Batch& batch) const REQUIRES(shard.mutex);
  static SeriesHandle handle_of(const Shard& shard, uint64_t hash, SeriesArena::Number number)
      REQUIRES(shard.mutex);
  Verdict<Refusal> apply_one(Shard& shard, const Placed& placed, const Guess& guess, Batch& batch,
                             const BatchContext& context) REQUIRES(shard.mutex);

  size_t index_slice(size_t most) const REQUIRES(index_mutex_);
  void count_index_bytes() const REQUIRES(index_mutex_);
  void replace_index() REQUIRES(index_mutex_);
  EpochEnd change_series(const SeriesChanges& changes);
  bool mark_erasure(std::string_view name, SlotRange slots, ChangedSeries& changed);
  // `kept_from` is that of SeriesChanges.
  std::optional<RemovedSeries> remove_series(std::string_view name, int parity,
                                             std::span<const Slot> kept_from = {}) REQUIRES(index_mutex_);
  std::optional<ChangedSeries::Renamed> rename(const NewName& names, int parity) REQUIRES(index_mutex_);
  ErasedSeries begin_erasure(Shard& shard, const Shard::Erasure& erasure) REQUIRES(shard.mutex);
  void flush_idle(Shard& shard, const FlushRules& rules, ShardFlush& out) const REQUIRES(shard.mutex);
  void count_active(Shard& shard, std::span<Series* const> awake, Slot active_from) REQUIRES(shard.mutex);
  static void find_silent(std::span<Series* const> awake, const FlushRules& rules, ShardFlush& out);
  void switch_detail(Series& series, std::vector<SeriesRow>& changed) const;

  LiveRetention retention_;
  const TableLimits limits_;
  SenderLimit sender_limit_;
  FamilyTable families_;
  SeriesEnds ends_;
  ExemplarTable exemplars_;
  KeyedHash hash_of_;  // of names; changes before other threads use the table only
  EpochGate gate_;
  std::array<Shard, kShardCount> shards_;
  SeriesArena series_;  // add() and remove() under names_mutex_; each series under its shard's lock
  // Locked by the tick thread while it waits for `index_mutex_` and holds it. Other threads lock and unlock
  // it before each slice that they index, which lets the tick thread in.
  mutable Mutex index_turn_;
  // The lock of the one thread that writes the index. Its holder may lock the gate, shards and names_mutex_.
  mutable Mutex index_mutex_;
  std::shared_ptr<NameIndex> index_ GUARDED_BY(index_mutex_) = std::make_shared<NameIndex>();
  std::unique_ptr<IndexRenewal> renewal_ GUARDED_BY(index_mutex_);
  // Locked for an instant to create or remove a series, while its shard is locked; no lock is acquired while
  // it is held.
  mutable Mutex names_mutex_;
  SeriesIds ids_ GUARDED_BY(names_mutex_);
  std::shared_ptr<const NameIndex> read_index_ GUARDED_BY(names_mutex_);  // the index, for readers
  // Created series that are not in the index yet: to index a name takes ten times as long as to create the
  // series, so ingest leaves it to the tick and to queries.
  mutable std::deque<SeriesArena::Number> unindexed_ GUARDED_BY(names_mutex_);
  // The size of `unindexed_`, and what is being added just now. Readers that acquire 0 see all in the index.
  mutable std::atomic<size_t> unindexed_count_{0};
  // Sums over all shards, written under the shards' own locks and read for limits and /metrics, where a
  // slightly old value does no harm: relaxed.
  std::atomic<size_t> series_count_{0};
  std::atomic<size_t> idle_count_{0};
  std::atomic<size_t> active_count_{0};
  std::atomic<uint64_t> series_created_{0};
  std::atomic<uint64_t> series_expired_{0};
  // The bytes of all series, and for each name that waits for the index as many as it has.
  mutable std::atomic<size_t> series_bytes_{0};
  mutable std::atomic<size_t> index_bytes_{0};  // of the index, and of the one that will replace it
  std::atomic<uint64_t> index_renewals_{0};
  std::atomic<size_t> ram_bytes_{0};                // of deltas, pending and flushing windows
  std::atomic<Slot> newest_slot_{Series::kNoSlot};  // only grows; relaxed: no other data depend on it
  std::atomic<Slot> oldest_slot_{Series::kNoSlot};  // only falls; relaxed, as well
  // Odd while names change. The tick writes it with release order before and after the change; queries read
  // it with acquire order.
  std::atomic<uint64_t> names_version_{0};
};

}  // namespace statmill
