#include "tools/statmill-bench/storage_pipeline.h"

#include <algorithm>
#include <utility>

#include "storage/rollup.h"

namespace statmill {
namespace {

// Replaces the activity row that the server's table writes with each flush. Its bytes per series, by
// storage/FORMAT.md: id gap 2, first slot 1, length 2.
constexpr size_t kActivityBytes = 5;

void add_buckets(std::vector<StoreBatch::Fragment>& out, const Tiers& tiers, TierNo tier_no, SeriesId id,
                 Combine combine, std::span<const SlotBucket> buckets) {
  const Tier& tier = tiers[tier_no];
  for (size_t begin = 0; begin < buckets.size();) {
    const ChunkNo chunk = tier.chunk_of_slot(buckets[begin].slot);
    size_t end = begin + 1;
    while (end < buckets.size() && tier.chunk_of_slot(buckets[end].slot) == chunk) ++end;
    const ChunkKey key{tier_no, chunk, id};
    const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
    out.push_back({key, encode_buckets(key, first, combine, buckets.subspan(begin, end - begin))});
    begin = end;
  }
}

}  // namespace

void add_window(std::vector<StoreBatch::Fragment>& out, const Tiers& tiers, TierNo tier_no, SeriesId id,
                Combine combine, const Window& window) {
  const Tier& tier = tiers[tier_no];
  const auto run = window.run();
  if (run && tier.chunk_of_slot(run->first) == tier.chunk_of_slot(run->last)) {
    const ChunkKey key{tier_no, tier.chunk_of_slot(run->first), id};
    const Slot first = static_cast<Slot>(key.chunk) * tier.chunk_slots;
    out.push_back({key, encode_entries(key, first, combine, run->entries)});
    return;
  }
  add_buckets(out, tiers, tier_no, id, combine, window.buckets(combine));
}

StoragePipeline::StoragePipeline(Store& store, const std::vector<ShardNo>& shards, const Options& options)
    : store_(store), shards_(shards), options_(options), pending_(shards.size()) {
  for (size_t id = 0; id < shards.size(); ++id) members_[shards[id]].push_back(static_cast<SeriesId>(id));
}

Status StoragePipeline::tick(Slot slot, std::span<const Arrival> arrivals) {
  ++tick_;
  for (size_t i = 0; i < kShardCount; ++i) {
    const size_t offset = options_.ticks_per_flush * i / kShardCount;
    due_[i] = tick_ % options_.ticks_per_flush == offset;
  }
  StoreBatch batch;
  std::string row = collect(slot, arrivals);
  if (!row.empty()) batch.journal.push_back({tick_, std::move(row)});
  for (size_t i = 0; i < kShardCount; ++i) {
    const auto shard = static_cast<ShardNo>(i);
    if (due_[i]) flush(shard, batch);
  }
  trim_journal(batch);
  return store_.write(batch);
}

Status StoragePipeline::finish() {
  ++tick_;
  StoreBatch batch;
  for (size_t shard = 0; shard < kShardCount; ++shard) flush(static_cast<ShardNo>(shard), batch);
  trim_journal(batch);
  return store_.write(batch);
}

// Adds the arrivals to the windows and returns the journal row, which leaves out what this tick flushes.
std::string StoragePipeline::collect(Slot slot, std::span<const Arrival> arrivals) {
  std::string entries;
  std::vector<size_t> ends;
  std::vector<JournalPiece> pieces;
  entries.reserve(2 * arrivals.size());
  ends.reserve(arrivals.size());
  pieces.reserve(arrivals.size());
  for (const Arrival& a : arrivals) {
    const bool journaled = !due_[shards_[a.id]];
    pending_[a.id].add({slot, a.bucket}, combine_of(options_.kind), journaled ? &entries : nullptr);
    if (!journaled) continue;
    pieces.push_back({a.id, 1, {}});
    ends.push_back(entries.size());
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    pieces[i].bytes = std::string_view(entries).substr(begin, ends[i] - begin);
  }
  return pieces.empty() ? std::string()
                        : encode_journal_row({tick_, std::exchange(last_row_, tick_)}, pieces);
}

void StoragePipeline::flush(ShardNo shard, StoreBatch& batch) {
  for (const SeriesId id : members_[shard]) {
    const Combine combine = combine_of(options_.kind);
    Window window = std::exchange(pending_[id], {});
    window.close();
    if (!options_.is_detailed) {
      add_window(batch.fragments, store_.tiers(), 0, id, combine, window);
      continue;
    }
    const Tiers& tiers = store_.tiers();
    add_window(batch.fragments, tiers, tiers.detail_no(), id, combine, window);
    const auto folded = fold(window.buckets(combine), tiers.detail_ratio(), combine);
    add_buckets(batch.fragments, tiers, 0, id, combine, folded);
  }
  batch.flushed.push_back({shard, tick_, std::string(kActivityBytes * members_[shard].size(), '\0')});
  flushed_[shard] = tick_;
}

void StoragePipeline::trim_journal(StoreBatch& batch) {
  constexpr size_t kFlushesPerTrim = 16;
  flushes_untrimmed_ += batch.flushed.size();
  const TickNo end = *std::min_element(flushed_.begin(), flushed_.end()) + 1;
  if (flushes_untrimmed_ < kFlushesPerTrim || end <= trimmed_) return;
  batch.journal_trim = {trimmed_, end};
  trimmed_ = end;
  flushes_untrimmed_ = 0;
}

}  // namespace statmill
