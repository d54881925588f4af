#include "server/query/read/column_cache.h"

#include <algorithm>
#include <utility>

#include "storage/codec/chunk_columns.h"

namespace statmill {
namespace {

// A map's node, the key in the queue and the control block of the pointer, about.
constexpr size_t kEntryOverhead = 160;
// Shorter frames are decoded as fast as they are found.
constexpr size_t kFramesMin = 64;

// Returns whether nothing is in the slots of the chunk yet.
bool is_fresh(const ColumnCache::Place& place, const SlotColumns& out) {
  const auto element = [&](Slot slot) {
    return static_cast<size_t>(std::clamp(slot, out.begin, out.end()) - out.begin);
  };
  return !out.present.any(element(place.first_slot), element(place.first_slot + place.chunk_slots));
}

}  // namespace

uint64_t ColumnCache::hash_of(const ChunkKey& key) {
  uint64_t hash = (uint64_t{key.chunk} << 8 | key.tier) * 0x9e3779b97f4a7c15;  // spreads the bits
  return (hash ^ hash >> 32) + key.id;
}

ColumnCache::Decoded ColumnCache::decode(const Place& place, std::string_view frames, SlotColumns& out) {
  const auto decode_into = [&](SlotColumns& columns) {
    return decode_columns(place.key, place.first_slot, place.chunk_slots, frames, columns);
  };
  const bool can_be_cached = shard_bytes_max_ > 0 && frames.size() >= kFramesMin;
  if (!can_be_cached || !is_fresh(place, out)) return {decode_into(out), false};
  const Hash128 hash = hash_name(frames, seed_);
  Shard& shard = shard_of_key(place.key);
  // With extremes, which most functions need.
  Parts parts{.extremes = true, .squares = out.parts.squares, .histograms = out.parts.histograms};
  bool has_fewer_parts = false;  // the cache has the chunk, but not all that is asked for
  if (const auto found = find(shard, place.key, hash)) {
    has_fewer_parts = true;
    const std::shared_ptr<const PackedChunk>& chunk = *found;
    if (!chunk) return {decode_into(out), false};
    if (chunk->has(out.parts)) {
      chunk->unpack_into(out);
      return {0, true};
    }
    parts.squares |= chunk->parts().squares;
    parts.histograms |= chunk->parts().histograms;
  } else if (!is_seen(shard, place.key, hash)) {
    return {decode_into(out), false};
  }
  SlotColumns whole(place.first_slot, static_cast<size_t>(place.chunk_slots), parts);
  if (decode_into(whole) > 0) return {decode_into(out), false};  // each answer reports the damage
  auto packed = PackedChunk::pack(whole);
  if (!packed) {
    insert(shard, place.key, {hash, nullptr, kEntryOverhead});
    return {decode_into(out), false};
  }
  const auto chunk = std::make_shared<const PackedChunk>(*std::move(packed));
  Entry entry{hash, chunk, chunk->memory_bytes() + kEntryOverhead};
  // Fewer parts in the cache are better than none.
  if (!has_fewer_parts || entry.bytes <= shard_bytes_max_) insert(shard, place.key, std::move(entry));
  if (!chunk->has(out.parts)) return {decode_into(out), false};
  chunk->unpack_into(out);
  return {0, false};
}

std::optional<std::shared_ptr<const PackedChunk>> ColumnCache::find(Shard& shard, const ChunkKey& key,
                                                                    const Hash128& frames) {
  MutexLock lock(shard.mutex);
  const auto at = shard.entries.find(key);
  if (at == shard.entries.end() || at->second.frames != frames) return std::nullopt;
  at->second.is_used = true;
  return at->second.chunk;
}

bool ColumnCache::is_seen(Shard& shard, const ChunkKey& key, const Hash128& frames) {
  const uint64_t hash = hash_of(key) ^ frames.low;
  MutexLock lock(shard.mutex);
  return std::exchange(shard.seen[hash % kSeen], hash) == hash;
}

void ColumnCache::insert(Shard& shard, const ChunkKey& key, Entry entry) const {
  if (entry.bytes > shard_bytes_max_) {  // is decoded each time, but only once
    entry.chunk = nullptr;
    entry.bytes = kEntryOverhead;
  }
  MutexLock lock(shard.mutex);
  const auto [at, is_new] = shard.entries.try_emplace(key);
  if (is_new) shard.queue.push_back(key);
  shard.bytes += entry.bytes - at->second.bytes;
  at->second = std::move(entry);
  while (shard.bytes > shard_bytes_max_) {
    const ChunkKey oldest = shard.queue.front();
    shard.queue.pop_front();
    const auto victim = shard.entries.find(oldest);
    if (std::exchange(victim->second.is_used, false)) {
      shard.queue.push_back(oldest);
    } else {
      shard.bytes -= victim->second.bytes;
      shard.entries.erase(victim);
    }
  }
}

size_t ColumnCache::bytes() const {
  size_t sum = 0;
  for (const Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

}  // namespace statmill
