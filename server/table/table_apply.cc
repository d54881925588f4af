// Table::apply(): hashes the samples of a batch, sorts them by shard, and then processes many at a time:
// index, series, name, delta.
#include <algorithm>
#include <span>

#include "server/table/table.h"

namespace statmill {

struct Table::Placed {
  uint64_t hash = 0;  // if the sample has a handle, only its shard at first
  Slot slot = 0;
  uint32_t sample = 0;  // index in the batch
};

struct Table::Guess {
  SeriesPlace place;
  bool is_right = false;  // if not, the series at the place may have another name
};

// What all samples of a batch share.
struct Table::BatchContext {
  int64_t now_s = 0;
  int64_t sent_s = 0;  // the time of samples that have none
  size_t parity = 0;   // of the epoch
  const Retention& retention;
  Slot kept_by_all = 0;  // from this slot on, a sample is not too old for any series
};

// Locks the shards of the first samples of a span, as many as are processed together.
class Table::ShardLocks {
 public:
  // Enough samples to overlap their cache misses, and few enough for the queries that wait for the locks.
  static constexpr size_t kSamplesMax = 64;
  static constexpr size_t kShardsMax = 32;

  // Requires: `samples` are sorted by shard. Because every thread locks shards in ascending order, there is
  // no deadlock.
  ShardLocks(std::array<Shard, kShardCount>& shards, std::span<Placed> samples,
             size_t parity) UNCHECKED_LOCKING : parity_(parity) {
    size_t count = 0;
    for (; count < std::min(kSamplesMax, samples.size()); ++count) {
      Shard* const shard = &shards[shard_of(samples[count].hash)];
      if (count_ > 0 && shards_[count_ - 1] == shard) continue;
      if (count_ == kShardsMax) break;
      shard->mutex.lock();
      bytes_before_ += shard->deltas[parity].memory_bytes();
      shards_[count_++] = shard;
    }
    samples_ = samples.first(count);
  }
  ~ShardLocks() UNCHECKED_LOCKING {
    for (size_t i = 0; i < count_; ++i) shards_[i]->mutex.unlock();
  }
  ShardLocks(const ShardLocks&) = delete;
  ShardLocks& operator=(const ShardLocks&) = delete;

  std::span<Placed> samples() const { return samples_; }
  // The number of bytes by which the shards' deltas have grown since the constructor.
  size_t grown() const UNCHECKED_LOCKING {
    size_t bytes = 0;
    for (size_t i = 0; i < count_; ++i) bytes += shards_[i]->deltas[parity_].memory_bytes();
    return bytes - bytes_before_;
  }

 private:
  const size_t parity_;
  std::array<Shard*, kShardsMax> shards_;
  size_t count_ = 0;
  size_t bytes_before_ = 0;
  std::span<Placed> samples_;
};

namespace {

// A hash with the shard of a handle.
uint64_t hash_in(SeriesHandle handle) { return uint64_t{handle.shard} << 56; }

}  // namespace

uint64_t Table::apply(Batch& batch, Timestamp now) {
  if (!batch.families.empty()) note_families(batch);
  if (ram_bytes() > 2 * limits_.pending_bytes) {
    batch.refuse_all_samples(Refusal::kMemoryLimit);
    if (batch.has_exemplars()) refuse_exemplars(batch, ExemplarRefusal::kLimit);
    return 0;
  }
  std::vector<Placed> placed = place(batch, now, now);
  const EpochGate::Batch epoch(gate_);
  const uint64_t accepted = apply_placed(placed, batch, {now, now}, epoch.parity());
  if (batch.has_exemplars()) note_exemplars(batch, now, epoch.parity());
  return accepted;
}

uint64_t Table::apply_marked(Batch& batch, Timestamp now, Timestamp sent, const Mark& mark) {
  std::vector<Placed> placed = place(batch, now, sent);
  const EpochGate::Batch epoch(gate_);
  if (!batch.families.empty()) note_families(batch);
  const uint64_t accepted = apply_placed(placed, batch, {now, sent}, epoch.parity());
  if (batch.has_exemplars()) note_exemplars(batch, std::max(now, sent), epoch.parity());
  mark(epoch.parity());
  return accepted;
}

uint64_t Table::apply_placed(std::span<Placed> placed, Batch& batch, const Times& times, int parity) {
  const int64_t now_s = unix_seconds(times.now);
  const Retention& retention = this->retention();
  const BatchContext context{now_s, unix_seconds(times.sent), static_cast<size_t>(parity), retention,
                             tiers().finest().slot_of(now_s - retention.shortest_s()) + 1};
  uint64_t accepted = 0;
  for (std::span<Placed> rest(placed); !rest.empty();) {
    const ShardLocks locks(shards_, rest, context.parity);
    accepted += apply_together(locks.samples(), batch, context);
    count_delta_bytes(locks.grown());
    rest = rest.subspan(locks.samples().size());
  }
  return accepted;
}

// Refuses the samples whose time is out of range. Returns the others by shard, in the order of the batch
// within each shard (a counting sort).
std::vector<Table::Placed> Table::place(Batch& batch, Timestamp now, Timestamp sent) {
  const int64_t now_s = unix_seconds(now);
  const int64_t newest_s = unix_seconds(std::max(now, sent) + limits_.future_max);
  const int64_t sent_s = unix_seconds(sent);
  const int64_t oldest_s = std::max<int64_t>(0, now_s - retention().longest_s());
  std::vector<Placed> placed;
  placed.reserve(batch.samples.size());
  std::array<uint32_t, kShardCount + 1> place{};
  int64_t slot_time_s = 0;  // consecutive samples mostly have the same time
  Slot slot = tiers().finest().slot_of(slot_time_s);
  Slot newest = Series::kNoSlot;
  Slot oldest = Series::kNoSlot;
  for (uint32_t i = 0; i < batch.samples.size(); ++i) {
    const Sample& sample = batch.samples[i];
    const int64_t time_s = sample.time_s.value_or(sent_s);
    if (time_s > newest_s || time_s < oldest_s) {
      batch.refuse_sample(i, time_s > newest_s ? Refusal::kTooNew : Refusal::kTooOld);
      continue;
    }
    if (time_s != slot_time_s) {
      slot_time_s = time_s;
      slot = tiers().finest().slot_of(time_s);
      oldest = newest == Series::kNoSlot ? slot : std::min(oldest, slot);
      newest = std::max(newest, slot);
    }
    const bool has_handle = !batch.handles.empty() && !batch.handles[i].is_none();
    placed.push_back({has_handle ? hash_in(batch.handles[i]) : hash_of_(batch.name_of(i)), slot, i});
    ++place[shard_of(placed.back().hash) + 1U];
  }
  include_slots(oldest, newest);
  for (size_t s = 1; s < place.size(); ++s) place[s] += place[s - 1];
  std::vector<Placed> sorted(placed.size());
  for (const Placed& p : placed) sorted[place[shard_of(p.hash)]++] = p;
  return sorted;
}

void Table::include_slots(Slot oldest, Slot newest) {
  Slot known = newest_slot();
  while (newest > known && !newest_slot_.compare_exchange_weak(known, newest, std::memory_order_relaxed))
    continue;
  known = oldest_slot();
  const auto is_older = [&] {
    return oldest != Series::kNoSlot && (known == Series::kNoSlot || oldest < known);
  };
  while (is_older() && !oldest_slot_.compare_exchange_weak(known, oldest, std::memory_order_relaxed))
    continue;
}

// Each loop uses the memory that the loop before has prefetched, so the cache misses of many samples overlap.
// With many series, nearly all the cost of a sample is waiting for memory.
uint64_t Table::apply_together(std::span<Placed> samples, Batch& batch, const BatchContext& context) {
  const auto shard_for = [this](const Placed& sample) -> Shard& { return shards_[shard_of(sample.hash)]; };
  std::array<Guess, ShardLocks::kSamplesMax> guesses;
  for (const Placed& sample : samples) {
    Shard& shard = shard_for(sample);
    shard.mutex.held();
    shard.index.prefetch(sample.hash);
    __builtin_prefetch(&batch.samples[sample.sample]);
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    Shard& shard = shard_for(samples[i]);
    shard.mutex.held();
    guesses[i] = guess_series(shard, samples[i], batch);
    if (guesses[i].place.is_awake()) series_.prefetch(guesses[i].place.number());
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!guesses[i].place.is_awake()) continue;
    Shard& shard = shard_for(samples[i]);
    shard.mutex.held();
    const Series& guess = series_[guesses[i].place.number()];
    if (!guesses[i].is_right) guess.prefetch_name_end();
    shard.deltas[context.parity].prefetch(guess.delta[context.parity]);
  }
  uint64_t accepted = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    Shard& shard = shard_for(samples[i]);
    shard.mutex.held();
    const auto verdict = apply_one(shard, samples[i], guesses[i], batch, context);
    if (verdict.is_refused()) {
      batch.refuse_sample(samples[i].sample, verdict.reason());
    } else {
      ++accepted;
    }
  }
  return accepted;
}

// Where a handle was right, no name is read. Where it was not, the sample needs its name, and its hash.
Table::Guess Table::guess_series(const Shard& shard, Placed& placed, Batch& batch) const {
  const SeriesHandle handle = batch.handles.empty() ? SeriesHandle() : batch.handles[placed.sample];
  if (!handle.is_none()) {
    if (handle.removals == handle_of(shard, placed.hash, handle.number).removals)
      return {SeriesPlace::awake(handle.number), true};
    // Only the shard of the handle is locked. A name of another shard is not the one for which the handle was
    // made: the sample is refused as one without a name.
    const uint64_t hash = hash_of_(batch.name_of(placed.sample));
    if (shard_of(hash) == handle.shard) {
      placed.hash = hash;
    } else {
      batch.samples[placed.sample].name = {};
    }
  }
  __builtin_prefetch(batch.samples[placed.sample].name.data());
  return {shard.index.guess(placed.hash), false};
}

SeriesHandle Table::handle_of(const Shard& shard, uint64_t hash, SeriesArena::Number number) {
  SeriesHandle handle;
  handle.number = number;
  handle.removals = shard.removals & 0xff'ffff;
  handle.shard = shard_of(hash);
  return handle;
}

void Table::count_delta_bytes(size_t grown) {
  if (grown > 0) ram_bytes_.fetch_add(grown, std::memory_order_relaxed);
}

namespace {

// What a sample is checked against: the series of its name, or the one that it would create.
struct KnownAs {
  Kind kind{};
  RetentionClass retention = kDefaultRetention;
};
// `series` is a Series or an IdleSeries.
template <class SomeSeries>
KnownAs known_as(const SomeSeries& series) {
  return {series.kind, series.retention};
}

// Returns true if the histogram of the sample is known. The histogram of a bucket that a sender made may be
// unknown.
bool has_known_histogram(const Sample& sample) {
  if (!sample.ready || adds_up(sample.kind) || !sample.ready->cells.empty()) return true;
  return sample.ready->min == sample.ready->max;
}

// Requires: has_known_histogram(sample), and its bucket has just been added to the chain.
void add_histogram(DeltaPool& deltas, DeltaPool::Chain& chain, Slot slot, const Sample& sample) {
  const bool is_ready = sample.ready && !adds_up(sample.kind);
  if (is_ready && !sample.ready->cells.empty()) return deltas.add_histogram(chain, slot, sample.ready->cells);
  const HistogramCell cell =
      is_ready ? HistogramCell{histogram_index(sample.ready->min.value()), sample.ready->count}
               : HistogramCell{histogram_index(sample.value.value()), 1};
  deltas.add_histogram(chain, slot, {&cell, 1});
}

}  // namespace

// Adds one sample unless it refuses it. `guess` is from SeriesIndex::guess(), and may be wrong
// because earlier samples of the batch may have created series since.
Verdict<Refusal> Table::apply_one(Shard& shard, const Placed& placed, const Guess& guess, Batch& batch,
                                  const BatchContext& context) {
  const Sample& sample = batch.samples[placed.sample];
  std::optional<Bucket> ready;
  if (sample.ready && !adds_up(sample.kind)) {
    ready = Bucket::ready(sample.value, *sample.ready);
    if (!ready) return Refusal::kBadBucket;
  }
  const bool is_right =
      guess.is_right || (guess.place.is_awake() && series_[guess.place.number()].is_named(sample.name));
  const SeriesPlace found = is_right ? guess.place : shard.find(placed.hash, sample.name, series_);
  const KnownAs known = found.is_awake()  ? known_as(series_[found.number()])
                        : found.is_idle() ? known_as(shard.idle[found.number()])
                                          : KnownAs{sample.kind, context.retention.class_of(sample.name)};
  if (placed.slot < context.kept_by_all) {
    const int64_t end_s = (placed.slot + 1) * tiers().finest().step_s;
    if (end_s <= context.now_s - context.retention.tiers(known.retention).coarsest().retention_s)
      return Refusal::kTooOld;
  }
  const bool is_other_kind =
      known.kind != sample.kind && !(batch.joins_sums && adds_up(known.kind) && adds_up(sample.kind));
  if (is_other_kind && batch.other_kind.value_or(limits_.other_kind) == OtherKind::kRefuse)
    return Refusal::kKindMismatch;
  const bool is_distribution = known.kind == Kind::kDistribution;
  if (is_distribution && !has_known_histogram(sample)) return Refusal::kBadBucket;
  if (found.is_idle() && name_bytes() > 2 * limits_.name_bytes) return Refusal::kNameLimit;
  Series* series = nullptr;
  if (found.is_none()) {
    if (sample.name.empty()) return Refusal::kEmptyName;
    const auto verdict = admit_series(sample.name, batch.sender_of(placed.sample));
    if (verdict.is_refused()) return verdict;
    series = &create_for_sample(shard, placed.hash, sample, known.retention, context.parity);
  } else {
    const SeriesArena::Number number = wake(shard, placed.hash, found);
    series = &series_[number];
    if (!guess.is_right && !batch.handles.empty())
      batch.handles[placed.sample] = handle_of(shard, placed.hash, number);
  }
  if (is_other_kind) batch.accept_other_kind(placed.sample);
  const Slot slot = slot_for(*series, placed, sample, context);
  DeltaPool::Chain& chain = series->delta[context.parity];
  if (chain == 0) shard.dirty[context.parity].push_back(series);
  DeltaPool& deltas = shard.deltas[context.parity];
  if (ready) {
    deltas.add(chain, slot, *ready, series->combine());
  } else {
    deltas.add(chain, slot, sample.value, series->combine());
  }
  if (is_distribution) {
    add_histogram(deltas, chain, slot, sample);
    if (ready && sample.ready->joined_power > series->joined_power) {
      series->set_joined_power(sample.ready->joined_power);
      shard.changed[context.parity].push_back(series);
    }
  }
  series->include_slot(placed.slot);
  return kAccepted;
}

// Returns the slot under which the sample is added to the series' delta.
Slot Table::slot_for(const Series& series, const Placed& placed, const Sample& sample,
                     const BatchContext& context) const {
  return series.is_detailed ? tiers().detail().slot_of(sample.time_s.value_or(context.sent_s)) : placed.slot;
}

// Counts a series that is about to be created unless it refuses it.
Verdict<Refusal> Table::admit_series(std::string_view name, const LineSender& sender) {
  // Checks before it increments, so that a flood of new names does not write to a cache line that other
  // threads read.
  if (active_count() >= limits_.series_max) return Refusal::kSeriesLimit;
  Verdict<Refusal> verdict = kAccepted;
  if (active_count_.fetch_add(1, std::memory_order_relaxed) >= limits_.series_max) {
    verdict = Refusal::kSeriesLimit;
  } else if (name_bytes() + bytes_of_new(name) > limits_.name_bytes) {
    verdict = Refusal::kNameLimit;
  } else if (!sender_limit_.admit(sender)) {
    verdict = Refusal::kSenderLimit;
  }
  if (verdict.is_refused()) active_count_.fetch_sub(1, std::memory_order_relaxed);
  return verdict;
}

// Requires: admit_series() has admitted the series.
Series& Table::create_for_sample(Shard& shard, uint64_t hash, const Sample& sample, RetentionClass retention,
                                 size_t parity) {
  series_created_.fetch_add(1, std::memory_order_relaxed);
  if (sample.is_in_ms) families_.note_unit(sample.kind, path_of(sample.name), "ms");
  Series& made = create_series(shard, hash, sample.name, sample.kind, retention);
  shard.created[parity].push_back(&made);
  return made;
}

}  // namespace statmill
