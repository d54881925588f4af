// Table::end_epoch(): series are deleted, erased and renamed between two epochs, while no batch is being
// applied and no flush is in progress. Only queries run at the same time; they check names_version().
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "server/table/table.h"

namespace statmill {

struct Table::RemovedSeries {
  SeriesId id = 0;
  Kind kind{};
  Slot first_slot = Series::kNoSlot;
  Slot last_slot = Series::kNoSlot;
  uint8_t joined_power = 0;
  bool is_detailed = false;
  Window pending;
  std::vector<SlotBucket> delta;
  std::vector<SlotHistogram> delta_histograms;  // of a distribution
};

Table::EpochEnd Table::end_epoch(const SeriesChanges& changes) {
  if (changes.is_empty()) return {EpochGate::Flip(gate_).ended(), {}};
  EpochEnd out = change_series(changes);
  change_families(changes, out.changed);
  return out;
}

Table::EpochEnd Table::change_series(const SeriesChanges& changes) {
  MutexLock turn(index_turn_);
  MutexLock index(index_mutex_);  // before the gate, so that ingest does not wait for it
  const EpochGate::Flip flip(gate_);
  EpochEnd out{flip.ended(), {}};
  if (!changes.kept_from.empty()) {
    // A query that finds a silent series, and then finds it gone, starts again; for others nothing changes.
    for (const std::string_view name : changes.deletes) {
      if (const auto removed = remove_series(name, out.parity, changes.kept_from))
        out.changed.deleted.push_back(removed->id);
    }
    series_expired_.fetch_add(out.changed.deleted.size(), std::memory_order_relaxed);
    return out;
  }
  names_version_.fetch_add(1, std::memory_order_acq_rel);
  for (const std::string_view name : changes.deletes) {
    if (changes.slots && !mark_erasure(name, *changes.slots, out.changed)) continue;
    if (const auto removed = remove_series(name, out.parity)) out.changed.deleted.push_back(removed->id);
  }
  for (const NewName& names : changes.renames) {
    if (auto renamed = rename(names, out.parity)) out.changed.renamed.push_back(std::move(*renamed));
  }
  names_version_.fetch_add(1, std::memory_order_acq_rel);
  names_version_.notify_all();
  return out;
}

uint64_t Table::names_version() const {
  uint64_t version = names_version_.load(std::memory_order_acquire);
  while (version % 2 == 1) {
    names_version_.wait(version, std::memory_order_acquire);
    version = names_version_.load(std::memory_order_acquire);
  }
  return version;
}

namespace {

// Returns the slots between the first and the last sample of a Series or an IdleSeries.
template <class SomeSeries>
SlotRange range_of(const SomeSeries& series) {
  return {series.first_slot, series.last_slot + 1};
}

}  // namespace

// Marks the slots to be erased by the flush that follows. Returns true, and marks nothing, if the series
// would have no samples left: then the caller deletes it.
bool Table::mark_erasure(std::string_view name, SlotRange slots, ChangedSeries& changed) {
  const uint64_t hash = hash_of_(name);
  Shard& shard = shards_[shard_of(hash)];
  MutexLock lock(shard.mutex);
  const SeriesPlace found = shard.find(hash, name, series_);
  if (found.is_none()) return false;
  const SlotRange known =
      found.is_idle() ? range_of(shard.idle[found.number()]) : range_of(series_[found.number()]);
  if (slots.has(known.begin) && slots.has(known.end - 1)) return true;
  const SeriesId id = found.is_idle() ? shard.idle[found.number()].id : series_[found.number()].id;
  const ExemplarRange exemplars{id, std::max<Slot>(slots.begin, 0), slots.end};
  if (exemplars.begin < exemplars.end) changed.erased_exemplars.push_back(exemplars);
  if (known.end <= slots.begin || known.begin >= slots.end) return false;
  shard.erasures.push_back({find_awake(shard, hash, name), slots});
  ++changed.erased;
  return false;
}

// Removes a series from the table and returns its samples. Returns nullopt if it does not exist, or is not
// silent as it must be.
std::optional<Table::RemovedSeries> Table::remove_series(std::string_view name, int parity,
                                                         std::span<const Slot> kept_from) {
  const uint64_t hash = hash_of_(name);
  const auto p = static_cast<size_t>(parity);
  Shard& shard = shards_[shard_of(hash)];
  MutexLock lock(shard.mutex);
  const SeriesPlace found = shard.find(hash, name, series_);
  if (found.is_none()) return std::nullopt;
  const auto is_kept = [&](const auto& series) {
    return !kept_from.empty() && !series.is_silent(kept_from[series.retention]);
  };
  if (found.is_idle() ? is_kept(shard.idle[found.number()]) : is_kept(series_[found.number()]))
    return std::nullopt;
  const SeriesArena::Number number = wake(shard, hash, found);
  Series& s = series_[number];
  shard.index.erase(hash, SeriesPlace::awake(number));
  SM_CHECK(s.flushing == 0 && s.delta[1 - p] == 0);
  RemovedSeries out{s.id, s.kind, s.first_slot, s.last_slot, s.joined_power, s.is_detailed, {}, {}, {}};
  if (s.delta[p] != 0) {
    shard.deltas[p].read(s.delta[p], s.combine(), out.delta);
    if (s.kind == Kind::kDistribution) shard.deltas[p].read(s.delta[p], out.delta_histograms);
    std::erase(shard.dirty[p], &s);
  }
  shard.pending_bytes -= s.pending.memory_bytes();
  ram_bytes_.fetch_sub(s.pending.memory_bytes(), std::memory_order_relaxed);
  std::erase(shard.created[p], &s);
  std::erase(shard.changed[p], &s);
  out.pending = std::move(s.pending);
  const bool is_indexed = index_->remove(s.row);
  if (is_indexed && renewal_ != nullptr) renewal_->remove(s.row);
  series_bytes_.fetch_sub(is_indexed ? SeriesArena::bytes_for(s.name_size) : bytes_of_new(s.name()),
                          std::memory_order_relaxed);
  ++shard.removals;
  MutexLock names(names_mutex_);
  series_.remove(number);
  series_count_.fetch_sub(1, std::memory_order_relaxed);
  if (shard.active > 0 && out.last_slot >= shard.active_from) {
    --shard.active;
    active_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  return out;
}

// Returns nullopt if no series has the old name, or one has the new name.
std::optional<ChangedSeries::Renamed> Table::rename(const NewName& names, int parity) {
  const uint64_t hash = hash_of_(names.to);
  const auto p = static_cast<size_t>(parity);
  Shard& shard = shards_[shard_of(hash)];
  {
    MutexLock lock(shard.mutex);
    if (!shard.find(hash, names.to, series_).is_none()) return std::nullopt;
  }
  std::optional<RemovedSeries> removed = remove_series(names.from, parity);
  if (!removed) return std::nullopt;
  MutexLock lock(shard.mutex);
  Series& s =
      create_series(shard, hash, names.to, removed->kind, retention().class_of(names.to), removed->id);
  s.first_slot = removed->first_slot;
  s.last_slot = removed->last_slot;
  s.set_joined_power(removed->joined_power);
  s.is_detailed = removed->is_detailed;
  s.pending = std::move(removed->pending);
  DeltaPool& deltas = shard.deltas[p];
  const size_t bytes = deltas.memory_bytes();
  for (const SlotBucket& b : removed->delta) deltas.add(s.delta[p], b.slot, b.bucket, s.combine());
  for (const SlotHistogram& h : removed->delta_histograms)
    deltas.add_histogram(s.delta[p], h.slot, h.histogram);
  count_delta_bytes(deltas.memory_bytes() - bytes);
  if (s.delta[p] != 0) shard.dirty[p].push_back(&s);
  count_pending_bytes(shard, s, 0);
  active_count_.fetch_add(1, std::memory_order_relaxed);
  return ChangedSeries::Renamed{s.stored_row(), s.retention};
}

// Makes the erasure part of the flush that begins. Samples of the open epoch come after it and are kept.
ErasedSeries Table::begin_erasure(Shard& shard, const Shard::Erasure& erasure) {
  Series& s = *erasure.series;
  const SlotRange& slots = erasure.slots;
  if (s.flushing == 0) {
    shard.flushing.push_back({&s, {}, s.is_detailed, {}});
    s.flushing = static_cast<uint32_t>(shard.flushing.size());
  }
  shard.flushing[s.flushing - 1].erased = slots;
  const SlotRange own{std::max<Slot>(slots.begin, s.first_slot), std::min<Slot>(slots.end, s.last_slot + 1)};
  if (slots.has(s.first_slot)) s.first_slot = slots.end;
  if (slots.has(s.last_slot)) s.last_slot = slots.begin - 1;
  std::vector<SlotBucket> buckets;
  for (size_t p = 0; p < shard.deltas.size(); ++p) {
    shard.deltas[p].read(s.delta[p], s.combine(), buckets);
    for (const SlotBucket& b : buckets)
      s.include_slot(s.is_detailed ? b.slot / tiers().detail_ratio() : b.slot);
  }
  return {s.id, own};
}

}  // namespace statmill
