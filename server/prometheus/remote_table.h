// RemoteTable: adds the samples of senders that repeat themselves to the table, each once: cumulative
// counters and histograms as their increments, all others as they are. Such are remote_write and
// OpenTelemetry.
//
// What a series had last changes in the epoch of the samples that it is about, and is written in their tick
// (ValueJournal). So after any crash a sender may repeat what it got no answer for, and nothing is lost or
// counted twice.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ingest/family_types.h"
#include "ingest/value_step.h"
#include "proto/foreign_histogram.h"
#include "server/prometheus/histogram_step.h"
#include "server/prometheus/last_values.h"
#include "server/prometheus/remote_options.h"
#include "server/prometheus/value_journal.h"
#include "server/table/table.h"
#include "server/tick/tick_participant.h"
#include "statmill/registry.h"

namespace statmill {

// What a sender says that a value is.
enum class SentAs : uint8_t {
  kByClues,  // nothing for certain: the clues say whether it is a counter
  kGauge,
  kCounter,    // cumulative
  kAmount,     // counted since the value before
  kHistogram,  // cumulative: `histogram`
  kHistogramAmount,
  kEnd,  // no value: the series ends at the time
};

// A sample whose value is finite.
struct RemoteValue {
  std::string_view name;  // canonical; empty if it is not read yet: then it has labels
  TimedValue value;
  SeriesClues clues{};  // whether it is a counter; for a series that is known, what it is decides
  SentAs sent = SentAs::kByClues;
  // Which of several senders of one series it is, whose counters each count for themselves; 0: that of
  // remote_write, which has one. The number of series of others is limited.
  uint64_t sender = 0;
  // If it is one, check_histogram() accepts it, and `value` has its sum.
  const ForeignHistogram* histogram = nullptr;
  // The bytes of the labels as they were sent, and their hash: process_hash().wide(). Equal ones always have
  // the same name. kNoLabels: these are not to be remembered.
  std::string_view labels = {};
  Hash128 labels_hash = LastValueTable::kNoLabels;
  LastValueTable::Place place = LastValueTable::kNone;  // as find_labels() has found it

  bool needs_name() const { return name.empty() && place == LastValueTable::kNone; }
};

// Thread-safe.
class RemoteTable final : public TickParticipant {
 public:
  // All must outlive it.
  RemoteTable(const RemoteOptions& options, Table& table, const FamilyTypes& types, Registry& registry);

  // Loads the rows of the store, for a start at `now`. The time in which the server was stopped does not
  // count for forgetting. Requires: no other thread uses this object yet. Errors: kCorrupt, kVersion, kIo;
  // with `skips_damage` a damaged row is left out, and returned as damage.
  struct Restored {
    uint64_t values = 0;
    uint64_t damaged_rows = 0;
  };
  Result<Restored> restore(StoreSnapshot& snapshot, Timestamp now, bool skips_damage);

  // Identifies the epoch of an addition.
  using Ticket = uint64_t;
  struct Added {
    uint64_t accepted = 0;  // the others are in batch.refused
    Ticket ticket = 0;
  };
  // Finds the series whose labels came before, so that the names of these values need not be read. Sets
  // `place` of values without a name. Cost: about 30 ns for each.
  void find_labels(std::span<RemoteValue> values) const;
  // Reads the name of a value from its labels. The text must stay valid until the batch is cleared; it is
  // empty if the labels are none that were found.
  using NameOf = std::function<std::string_view(const RemoteValue& value)>;
  // Adds the values through `batch`, which must have no samples, and counts them as received. Names must stay
  // valid until it is cleared. Values of one series come in their order. `name_of` is called for values that
  // find_labels() has found, where their name is needed after all. Cost: holds the lock of all series for
  // about 0.3 us per value, so pass a few thousand at most.
  Added add(std::span<RemoteValue> values, Batch& batch, Timestamp now, const NameOf& name_of = {});

  // Notes that series of remote_write or scrapes end: they have no samples at `time_ms` and later. Series
  // that are not known, or whose last value is not older, stay as they are. Cost: about 0.1 us per series.
  void end_series(std::span<const Hash128> names, int64_t time_ms);

  // Returns whether senders may send. It turns false well before samples are refused for lack of memory, and
  // while the store takes no ticks for long.
  bool has_room() const;

  // Calls `ready` once all that was added with this ticket is in the store: from the tick thread, or at once.
  using Ready = std::function<void()>;
  void when_durable(Ticket ticket, Ready ready);

  size_t series() const;
  size_t memory_bytes() const;

  void clock_seen(TickTime, bool) override {}
  void add_to(int parity, StoreBatch& batch, Timestamp now) override;
  void committed(const StoreBatch& batch) override;

 private:
  static constexpr size_t kUnsavedBytesMax = size_t{64} << 20;
  // So many ticks look at every entry once, to forget those that are old.
  static constexpr size_t kForgetTicks = 2400;

  // What adding one sample has changed, to undo it if the table refuses the sample. A histogram that adds
  // nothing has no sample, so nothing is undone.
  struct Change {
    LastValueTable::Place place = 0;
    bool is_new = false;
    LastValue before = {};
    const RemoteValue* value = nullptr;
  };
  bool is_known(const RemoteValue& value) const REQUIRES(mutex_) {
    return value.place != LastValueTable::kNone && values_.has_labels(value.place, value.labels_hash);
  }
  // Requires: locate() was called. The handle of an entry is that of its labels, which have a keyed hash: a
  // hostile sender can make names that have one hash, and so share an entry.
  SeriesHandle handle_of(const RemoteValue& value) const REQUIRES(mutex_) {
    return value.place == LastValueTable::kNone ? SeriesHandle() : values_.handle(value.place);
  }
  std::string_view name_of(const RemoteValue& value) const REQUIRES(mutex_);
  Hash128 locate(RemoteValue& value) REQUIRES(mutex_);
  // Returns 0, as no sample is accepted.
  uint64_t refuse(Batch& batch, Refusal reason, const RemoteValue& value) const REQUIRES(mutex_);
  struct Times {  // that samples may have
    int64_t now_s = 0;
    int64_t newest_ms = 0;
    int64_t oldest_s = 0;
  };
  uint64_t step(const RemoteValue& value, const Hash128& hash, Batch& batch, const Times& times)
      REQUIRES(mutex_);
  uint64_t step_number(const RemoteValue& value, Change& change, LastValue& last, Batch& batch)
      REQUIRES(mutex_);
  // `entry`: the hash of the series for its sender; `series`: its key in SeriesEnds.
  void end(const Hash128& entry, const Hash128& series, int64_t time_ms) REQUIRES(mutex_);
  void clear_end(LastValueTable::Place place, const RemoteValue& value) REQUIRES(mutex_);
  void note_changes(int parity, const Batch& batch, Timestamp now) REQUIRES(mutex_);
  uint64_t step_histogram(const RemoteValue& value, Change& change, LastValue& last, Batch& batch)
      REQUIRES(mutex_);
  Sample& add_sample(const RemoteValue& value, Change change, Batch& batch) REQUIRES(mutex_);
  HistogramStep next_histogram(const RemoteValue& value, bool is_new, LastValue& last) const;
  // Returns whether what all remember of histograms, and of slots, is within the limit with `last`.
  bool has_room_for(const LastValue& last, const Change& change, size_t bytes_max) const REQUIRES(mutex_);
  bool may_be_distribution(std::string_view name) const;
  bool is_counter_at_first(const RemoteValue& value) const;
  LastValueTable::Place keep(const Change& change, const LastValue& last) REQUIRES(mutex_);
  uint64_t count_once(StepKind kind) const;
  void undo_refused(Batch& batch) REQUIRES(mutex_);
  void forget_some(Timestamp now) REQUIRES(mutex_);

  const RemoteOptions options_;
  const LateWindow late_window_;
  Table& table_;
  const FamilyTypes& types_;
  // Held while a few thousand samples are applied: outside the epoch gate and the shards' locks.
  mutable Mutex mutex_;
  LastValueTable values_ GUARDED_BY(mutex_);
  ValueJournal journal_ GUARDED_BY(mutex_);
  std::vector<Change> changes_ GUARDED_BY(mutex_);  // by sample of the batch that is being added
  std::vector<LastValueTable::Place> silent_changes_ GUARDED_BY(mutex_);  // those without a sample
  std::vector<Hash128> hashes_ GUARDED_BY(mutex_);                        // of the names that are being added
  const NameOf* name_of_ GUARDED_BY(mutex_) = nullptr;                    // during add()
  LastValueTable::Place next_forgotten_ GUARDED_BY(mutex_) = 0;
  std::array<Ticket, 2> epochs_ GUARDED_BY(mutex_) = {1,
                                                      2};  // by parity: the number of its next or open epoch
  Ticket in_batch_ GUARDED_BY(mutex_) = 0;
  Ticket durable_ GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<Ticket, Ready>> waiting_ GUARDED_BY(mutex_);
  Counter& repeated_;
  Counter& older_;
  Counter& late_;
  Counter& late_repeated_;
  Counter& resets_;
  Counter& histograms_changed_;
  Counter& forgotten_;
};

}  // namespace statmill
