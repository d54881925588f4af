// See table.h.
#include "server/table/table.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace statmill {

struct Table::Placed {
  uint64_t hash = 0;
  Slot slot = 0;
  uint32_t sample = 0;  // index in the batch
  bool refused = false;
};

namespace {

void refuse_one(Batch& batch, Refusal reason) { ++batch.refused[static_cast<size_t>(reason)]; }

}  // namespace

uint64_t Table::apply(Batch& batch, Timestamp now) {
  const int64_t now_s = unix_seconds(now);
  const int64_t newest_s = unix_seconds(now + limits_.future_max);
  const int64_t oldest_s = std::max<int64_t>(0, now_s - tiers_.coarsest().retention_s);
  if (ram_bytes() > 2 * limits_.pending_bytes) {
    batch.refused[static_cast<size_t>(Refusal::kMemoryLimit)] += batch.samples.size();
    return 0;
  }
  // Counting sort by shard: hash and place every sample, then visit shard by shard.
  std::vector<Placed> placed(batch.samples.size());
  std::array<uint32_t, kShardCount + 1> begin{};
  for (uint32_t i = 0; i < placed.size(); ++i) {
    const Sample& sample = batch.samples[i];
    const int64_t time_s = sample.time_s.value_or(now_s);
    placed[i] = {hash_name(sample.name), 0, i, true};
    if (time_s > newest_s) {
      refuse_one(batch, Refusal::kTooNew);
    } else if (time_s < oldest_s) {
      refuse_one(batch, Refusal::kTooOld);
    } else {
      placed[i].slot = tiers_.finest().slot_of(time_s);
      placed[i].refused = false;
      ++begin[shard_of(placed[i].hash) + 1U];
    }
  }
  for (size_t s = 1; s < begin.size(); ++s) begin[s] += begin[s - 1];
  std::vector<uint32_t> order(begin[kShardCount]);
  std::array<uint32_t, kShardCount + 1> next = begin;
  for (const Placed& p : placed) {
    if (!p.refused) order[next[shard_of(p.hash)]++] = p.sample;
  }
  uint64_t taken = 0;
  const EpochGate::Batch epoch(gate_);
  for (size_t s = 0; s < kShardCount; ++s) {
    if (begin[s] == begin[s + 1]) continue;
    Shard& here = shards_[s];
    MutexLock lock(here.mutex);
    for (uint32_t i = begin[s]; i < begin[s + 1]; ++i) {
      const Placed& p = placed[order[i]];
      if (const auto refusal = apply_one(here, p, batch.samples[p.sample], epoch.parity())) {
        refuse_one(batch, *refusal);
      } else {
        ++taken;
      }
    }
  }
  return taken;
}

std::optional<Refusal> Table::apply_one(Shard& shard, const Placed& placed, const Sample& sample,
                                        int parity) {
  Bucket bucket;
  if (sample.ready && sample.kind == Kind::kGauge) {
    const auto ready = Bucket::ready(sample.value, *sample.ready);
    if (!ready) return Refusal::kBadBucket;
    bucket = *ready;
  } else {
    bucket = Bucket::of(sample.value);
  }
  Series* series = find_or_create(shard, placed.hash, sample, parity);
  if (series == nullptr) return Refusal::kSeriesLimit;
  SlotRun& delta = series->delta[static_cast<size_t>(parity)];
  if (delta.is_empty()) shard.dirty[static_cast<size_t>(parity)].push_back(series);
  const size_t before = delta.size();
  delta.add(placed.slot, bucket, series->combine());
  if (delta.size() != before) buckets_.fetch_add(1, std::memory_order_relaxed);
  series->saw(placed.slot);
  return std::nullopt;
}

Series* Table::find_or_create(Shard& shard, uint64_t hash, const Sample& sample, int parity) {
  if (Series* found = shard.index.find(hash, sample.name)) {
    if (found->kind != sample.kind) kind_mismatches_.fetch_add(1, std::memory_order_relaxed);
    return found;
  }
  if (series_count_.load(std::memory_order_relaxed) >= limits_.series_max) return nullptr;
  series_count_.fetch_add(1, std::memory_order_relaxed);
  Series& made = shard.series.emplace_back();
  made.id = next_id_.fetch_add(1, std::memory_order_relaxed);
  made.kind = sample.kind;
  made.name = sample.name;
  shard.index.insert(hash, &made);
  shard.created[static_cast<size_t>(parity)].push_back(&made);
  return &made;
}

ShardDelta Table::collect(ShardNo n, int parity) {
  ShardDelta out;
  Shard& shard = shards_[n];
  const auto p = static_cast<size_t>(parity);
  MutexLock lock(shard.mutex);
  for (const Series* s : shard.created[p]) out.created.push_back({s->id, s->kind, s->name});
  shard.created[p].clear();
  for (Series* s : shard.dirty[p]) {
    if (s->pending.is_empty()) shard.with_pending.push_back(s);
    const size_t before = s->pending.size();
    for (const SlotBucket& b : s->delta[p].view()) {
      out.entries.push_back({s->id, s->kind, b.slot, b.bucket});
      s->pending.add(b.slot, b.bucket, s->combine());
    }
    const size_t grown = s->pending.size() - before;
    shard.pending_slots += grown;
    buckets_.fetch_sub(s->delta[p].size() - grown, std::memory_order_relaxed);
    s->delta[p].clear();
  }
  shard.dirty[p].clear();
  return out;
}

bool Table::is_over_share(ShardNo n) const {
  const Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  return shard.pending_slots * sizeof(SlotBucket) > limits_.pending_bytes / kShardCount;
}

ShardFlush Table::begin_flush(ShardNo n, TickNo tick) {
  ShardFlush out;
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  SM_CHECK(shard.flushing_tick == 0);
  shard.flushing_tick = tick;
  shard.with_flushing.swap(shard.with_pending);
  for (Series* s : shard.with_flushing) {
    s->flushing.swap(s->pending);
    out.series.push_back({s->id, s->kind, s->flushing.view()});
  }
  shard.pending_slots = 0;
  out.activity.reserve(shard.series.size());
  for (const Series& s : shard.series) {
    if (s.first_slot != Series::kNever) out.activity.push_back({s.id, s.first_slot, s.last_slot});
  }
  return out;
}

void Table::end_flush(ShardNo n) {
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  for (Series* s : shard.with_flushing) {
    buckets_.fetch_sub(s->flushing.size(), std::memory_order_relaxed);
    s->flushing.release();
  }
  shard.with_flushing.clear();
  shard.flushed_tick = shard.flushing_tick;
  shard.flushing_tick = 0;
}

Series* Table::restore_series(const SeriesRow& row) {
  const uint64_t hash = hash_name(row.name);
  Shard& shard = shards_[shard_of(hash)];
  MutexLock lock(shard.mutex);
  Series& made = shard.series.emplace_back();
  made.id = row.id;
  made.kind = row.kind;
  made.name = row.name;
  shard.index.insert(hash, &made);
  series_count_.fetch_add(1, std::memory_order_relaxed);
  next_id_.store(std::max(next_id_.load(std::memory_order_relaxed), row.id + 1), std::memory_order_relaxed);
  return &made;
}

void Table::restore_shard(ShardNo n, TickNo flushed) {
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  shard.flushed_tick = flushed;
}

void Table::restore_pending(ShardNo n, Series& series, const JournalEntry& entry) {
  Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  if (series.pending.is_empty()) shard.with_pending.push_back(&series);
  const size_t before = series.pending.size();
  series.pending.add(entry.slot, entry.bucket, series.combine());
  if (series.pending.size() != before) {
    ++shard.pending_slots;
    buckets_.fetch_add(1, std::memory_order_relaxed);
  }
  series.saw(entry.slot);
}

std::optional<SeriesCopy> Table::copy(std::string_view name) const {
  const uint64_t hash = hash_name(name);
  const ShardNo n = shard_of(hash);
  const Shard& shard = shards_[n];
  MutexLock lock(shard.mutex);
  const Series* s = shard.index.find(hash, name);
  if (s == nullptr) return std::nullopt;
  SeriesCopy out;
  out.id = s->id;
  out.kind = s->kind;
  out.shard = n;
  out.name = s->name;
  out.first_slot = s->first_slot;
  out.last_slot = s->last_slot;
  out.flushed_tick = shard.flushed_tick;
  out.flushing_tick = shard.flushing_tick;
  out.unflushed.assign(s->pending.view().begin(), s->pending.view().end());
  for (const SlotRun& delta : s->delta) combine_into(out.unflushed, delta.view(), s->combine());
  out.flushing.assign(s->flushing.view().begin(), s->flushing.view().end());
  return out;
}

void Table::for_each_match(const Glob& glob, const std::function<void(const Series&)>& visit) const {
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    for (const Series& s : shard.series) {
      if (glob.matches(s.name)) visit(s);
    }
  }
}

}  // namespace statmill
