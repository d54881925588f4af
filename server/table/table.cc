#include "server/table/table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

// Moves deltas to the pending windows of their series. Reuses its buffers from series to series.
class DeltaMover {
 public:
  // Appends the journal entries to `entries`, unless it is nullptr. Both must outlive the mover.
  DeltaMover(const DeltaPool& deltas, std::string* entries) : deltas_(deltas), entries_(entries) {}

  // Returns the number of buckets in the chain. Requires: `chain` is a chain of `series`, and not empty.
  uint32_t move(DeltaPool::Chain chain, Series& series) {
    const bool has_histograms = series.kind == Kind::kDistribution;
    if (const SlotBucket* const only = deltas_.only_bucket(chain)) {
      add(*only, has_histograms ? &deltas_.only_histogram(chain) : nullptr, series);
      return 1;
    }
    deltas_.read(chain, series.combine(), buckets_);
    if (has_histograms) deltas_.read(chain, histograms_);
    for (size_t i = 0; i < buckets_.size(); ++i)
      add(buckets_[i], has_histograms ? &histograms_[i].histogram : nullptr, series);
    return static_cast<uint32_t>(buckets_.size());
  }

 private:
  void add(const SlotBucket& bucket, const SparseHistogram* histogram, Series& series) const {
    series.pending.add(bucket, series.combine(), entries_, histogram);
  }

  const DeltaPool& deltas_;
  std::string* const entries_;
  std::vector<SlotBucket> buckets_;
  std::vector<SlotHistogram> histograms_;
};

// Prefetches what Table::collect() needs of later series: first a series, then the end of its pending window,
// which it points to. Must be inlined: g++ takes a function that only prefetches for one without effects, and
// removes its calls.
constexpr size_t kSeriesAhead = 24;
constexpr size_t kPendingAhead = 12;
[[gnu::always_inline]] inline void prefetch_first(std::span<Series* const> series) {
  for (size_t i = 0; i < std::min(kSeriesAhead, series.size()); ++i) series[i]->prefetch();
  for (size_t i = 0; i < std::min(kPendingAhead, series.size()); ++i) series[i]->pending.prefetch();
}
[[gnu::always_inline]] inline void prefetch_ahead(std::span<Series* const> series, size_t i) {
  if (i + kSeriesAhead < series.size()) series[i + kSeriesAhead]->prefetch();
  if (i + kPendingAhead < series.size()) series[i + kPendingAhead]->pending.prefetch();
}

}  // namespace

std::vector<SeriesRow> Table::collect(ShardNo n, int parity, JournalDraft* journal) {
  Shard& shard = shards_[n];
  const auto p = static_cast<size_t>(parity);
  std::vector<SeriesRow> rows;
  MutexLock lock(shard.mutex);
  for (std::vector<Series*>* const list : {&shard.created[p], &shard.changed[p]}) {
    for (const Series* s : *list) rows.push_back(s->stored_row());
    std::vector<Series*>().swap(*list);  // frees the memory: such series are rare after a while
  }
  DeltaPool& deltas = shard.deltas[p];
  deltas.prefetch_all();
  DeltaMover mover(deltas, journal == nullptr ? nullptr : &journal->bytes());
  const std::vector<Series*>& dirty = shard.dirty[p];
  prefetch_first(dirty);
  size_t grown = 0;  // of the pending windows; unsigned: wraps around if they shrink
  for (size_t i = 0; i < dirty.size(); ++i) {
    prefetch_ahead(dirty, i);
    Series& series = *dirty[i];
    grown -= series.pending.memory_bytes();
    const uint32_t entries = mover.move(std::exchange(series.delta[p], 0), series);
    grown += series.pending.memory_bytes();
    if (journal != nullptr) journal->end_piece(series.id, entries);
  }
  shard.pending_bytes += grown;
  ram_bytes_.fetch_add(grown - deltas.memory_bytes(), std::memory_order_relaxed);
  deltas.clear();
  clear_burst(shard.dirty[p]);
  return rows;
}

void Table::count_pending_bytes(Shard& shard, Series& series, size_t bytes_before) {
  const size_t grown = series.pending.memory_bytes() - bytes_before;  // unsigned: wraps around if it shrank
  if (grown == 0) return;
  shard.pending_bytes += grown;
  ram_bytes_.fetch_add(grown, std::memory_order_relaxed);
}

bool Table::is_over_share(ShardNo n) const {
  const Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  return shard.pending_bytes > limits_.pending_bytes / kShardCount;
}

ShardFlush Table::begin_flush(ShardNo n, TickNo tick, const FlushRules& rules) {
  ShardFlush out;
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  SM_CHECK(shard.flushing_tick == 0);
  shard.flushing_tick = tick;
  const std::vector<Series*> all = shard.index.awake(series_);
  const auto ahead = [&all](size_t i) { all[std::min(i + 8, all.size() - 1)]->prefetch(); };
  size_t pending = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    ahead(i);
    if (!all[i]->pending.is_empty()) ++pending;
  }
  shard.flushing.reserve(pending + shard.erasures.size());  // out.series points to these windows
  out.series.reserve(pending);
  for (Series* const s : all) {
    if (s->pending.is_empty()) continue;
    const size_t memory = s->pending.memory_bytes();
    s->pending.close();
    count_pending_bytes(shard, *s, memory);
    shard.flushing.push_back({s, std::move(s->pending), s->is_detailed});
    s->flushing = static_cast<uint32_t>(shard.flushing.size());
    out.series.push_back({s->id, s->kind, s->retention, s->is_detailed, &shard.flushing.back().window});
  }
  for (Series* const s : all) switch_detail(*s, out.changed);
  find_silent(all, rules, out);
  count_active(shard, all, rules.active_from);
  shard.pending_bytes = 0;
  for (const Shard::Erasure& erasure : shard.erasures) out.erased.push_back(begin_erasure(shard, erasure));
  shard.erasures.clear();
  // Leaves out the series that were created in the epoch that is open now: the catalog gets them with the
  // next tick.
  std::vector<SeriesId> unknown;
  for (const auto& created : shard.created) {
    for (const Series* s : created) unknown.push_back(s->id);
  }
  std::sort(unknown.begin(), unknown.end());
  out.activity.reserve(all.size());
  for (Series* const s : all) {
    if (s->first_slot != Series::kNoSlot && !std::binary_search(unknown.begin(), unknown.end(), s->id))
      out.activity.push_back({s->id, s->first_slot, s->last_slot});
    if (s->last_slot < rules.idle_before && s->is_at_rest()) shard.resting.push_back(s);
  }
  flush_idle(shard, rules, out);
  return out;
}

void Table::count_active(Slot active_from) {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    count_active(shard, shard.index.awake(series_), active_from);
  }
}

void Table::count_active(Shard& shard, std::span<Series* const> awake, Slot active_from) {
  const auto is_active = [active_from](const auto& s) { return s.last_slot >= active_from; };
  auto active = static_cast<size_t>(
      std::count_if(awake.begin(), awake.end(), [&](const Series* s) { return is_active(*s); }));
  shard.idle.for_each([&](const IdleSeries& s) { active += static_cast<size_t>(is_active(s)); });
  active_count_.fetch_add(active - shard.active, std::memory_order_relaxed);  // wraps around if it is lower
  shard.active = active;
  shard.active_from = active_from;
}

void Table::find_silent(std::span<Series* const> awake, const FlushRules& rules, ShardFlush& out) {
  if (rules.kept_from.empty()) return;
  for (const Series* const s : awake) {
    if (out.silent.size() >= rules.silent_max) return;
    if (s->is_silent(rules.kept_from[s->retention])) out.silent.emplace_back(s->name());
  }
}

// Makes a series detailed, or not any more, as its retention says. Its slots change with that, so it waits
// for a flush at which the series has nothing in RAM.
void Table::switch_detail(Series& series, std::vector<SeriesRow>& changed) const {
  const bool wanted = retention().tiers(series.retention).keep_detail();
  if (series.is_detailed == wanted || series.delta[0] != 0 || series.delta[1] != 0) return;
  series.is_detailed = wanted;
  changed.push_back(series.stored_row());
}

void Table::end_flush(ShardNo n) {
  Shard& shard = shards_[n];
  bool has_resting = false;
  {
    MutexLock lock(shard.mutex);
    size_t freed = 0;
    for (const Shard::Flushing& f : shard.flushing) {
      freed += f.window.memory_bytes();
      f.series->flushing = 0;
    }
    ram_bytes_.fetch_sub(freed, std::memory_order_relaxed);
    std::vector<Shard::Flushing>().swap(shard.flushing);
    shard.flushed_tick = shard.flushing_tick;
    shard.flushing_tick = 0;
    has_resting = !shard.resting.empty();
  }
  if (has_resting) settle(shard);
}

void Table::set_secret(const HashSecret& secret) {
  hash_of_ = KeyedHash(secret);
  MutexLock lock(index_mutex_);
  index_->set_hash(hash_of_);
}

// Until the name is in the index, its own bytes count for what it will need there.
size_t Table::bytes_of_new(std::string_view name) {
  return SeriesArena::bytes_for(name.size()) + name.size();
}

// Counts the series as active in its shard; the caller counts it in `active_count_`.
Series& Table::create_series(Shard& shard, uint64_t hash, std::string_view name, Kind kind,
                             RetentionClass retention, std::optional<SeriesId> id) {
  SeriesArena::Number number = 0;
  {
    MutexLock names(names_mutex_);
    number = series_.add(name);
    if (id) ids_.include(*id);
    series_[number].id = id ? *id : ids_.take();
    unindexed_.push_back(number);
    unindexed_count_.fetch_add(1, std::memory_order_relaxed);
    series_bytes_.fetch_add(bytes_of_new(name), std::memory_order_relaxed);
  }
  shard.index.insert(hash, SeriesPlace::awake(number));
  ++shard.active;
  series_count_.fetch_add(1, std::memory_order_relaxed);
  Series& made = series_[number];
  made.kind = kind;
  made.retention = retention;
  made.is_detailed = this->retention().tiers(retention).keep_detail();
  return made;
}

void Table::restore_deleted(SeriesId id) {
  MutexLock names(names_mutex_);
  ids_.include(id);
}

void Table::reuse_ids(std::span<const SeriesId> ids) {
  MutexLock names(names_mutex_);
  ids_.release(ids);
}

SeriesId Table::ids_end() const {
  MutexLock names(names_mutex_);
  return ids_.end();
}

void Table::restore_shard(ShardNo n, TickNo flushed) {
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  shard.flushed_tick = flushed;
}

void Table::end_replay() {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    for (Series* const s : shard.index.awake(series_)) {
      count_pending_bytes(shard, *s, 0);
      include_slots(s->first_slot, s->last_slot);
    }
    shard.idle.for_each([this](const IdleSeries& s) { include_slots(s.first_slot, s.last_slot); });
  }
}

std::optional<SeriesPieces> Table::pieces(std::string_view name, bool histograms) const {
  const uint64_t hash = hash_of_(name);
  const ShardNo n = shard_of(hash);
  const Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  const SeriesPlace found = shard.find(hash, name, series_);
  if (found.is_none()) return std::nullopt;
  SeriesPieces out;
  out.shard = n;
  out.flushed_tick = shard.flushed_tick;
  out.flushing_tick = shard.flushing_tick;
  const auto copy = [&out](const auto& series) {
    out.id = series.id;
    out.kind = series.kind;
    out.retention = series.retention;
    out.first_slot = series.first_slot;
    out.last_slot = series.last_slot;
    out.joined_power = series.joined_power;
    out.is_detailed = series.is_detailed;
  };
  if (found.is_idle()) {
    copy(shard.idle[found.number()]);
    return out;
  }
  const Series* const s = &series_[found.number()];
  copy(*s);
  out.pending = s->pending;
  if (s->flushing != 0) {
    const Shard::Flushing& flushing = shard.flushing[s->flushing - 1];
    out.flushing = flushing.window;
    out.is_flushing_detailed = flushing.is_detailed;
    out.erased = flushing.erased;
  }
  for (size_t p = 0; p < out.deltas.size(); ++p) {
    shard.deltas[p].read(s->delta[p], s->combine(), out.deltas[p].buckets);
    if (histograms && s->kind == Kind::kDistribution)
      shard.deltas[p].read(s->delta[p], out.deltas[p].histograms);
  }
  return out;
}

template <class SomeSeries>
Table::SeriesSummary Table::summary_of(const SomeSeries& s) {
  return {s.id, s.kind, s.retention, s.first_slot, s.last_slot};
}

std::optional<Table::SeriesSummary> Table::summary(std::string_view name) const {
  const uint64_t hash = hash_of_(name);
  const Shard& shard = shards_[shard_of(hash)];
  MutexLock lock(shard.mutex);
  const SeriesPlace found = shard.find(hash, name, series_);
  if (found.is_none()) return std::nullopt;
  return found.is_idle() ? summary_of(shard.idle[found.number()]) : summary_of(series_[found.number()]);
}

std::vector<Table::SeriesSummary> Table::summaries(ShardNo n) const {
  const Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  std::vector<SeriesSummary> out;
  for (const Series* const s : shard.index.awake(series_)) out.push_back(summary_of(*s));
  shard.idle.for_each([&out](const IdleSeries& s) { out.push_back(summary_of(s)); });
  return out;
}

}  // namespace statmill
