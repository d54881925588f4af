// The integer types that identify things in storage, and the keys made of them.
#pragma once

#include <compare>
#include <cstdint>

#include "base/hash.h"

namespace statmill {

using SeriesId = uint32_t;  // dense from 0; used again once nothing of a removed series is left
using Slot = int64_t;       // unix seconds / step, of some tier
using ChunkNo = uint32_t;   // slot / chunk_slots, of some tier
using TickNo = uint64_t;    // counts ticks from 1, across restarts of the server
using TierNo = uint8_t;     // index into Tiers, 0 is the finest
using ShardNo = uint8_t;    // 0..255

// How long a series is kept (storage/retention.h): 0 as the tiers say, n >= 1 as rule n says.
using RetentionClass = uint8_t;
inline constexpr RetentionClass kDefaultRetention = 0;
inline constexpr RetentionClass kGone = 255;  // the series is deleted and nothing of it is kept

inline constexpr int kShardCount = 256;

// Returns the shard of the series whose name has this hash, keyed by the store's secret (StoreSnapshot).
// Journal rows depend on it, so it must never change.
inline ShardNo shard_of(uint64_t hash) { return static_cast<ShardNo>(hash >> 56); }

// The rollup's progress: every finest chunk below (chunk, id), in this order, is in the coarser tiers.
struct RollupPosition {
  ChunkNo chunk = 0;
  SeriesId id = 0;
  friend auto operator<=>(const RollupPosition&, const RollupPosition&) = default;
};

// A chunk number of a tier.
struct TierChunk {
  TierNo tier = 0;
  ChunkNo chunk = 0;
  friend auto operator<=>(const TierChunk&, const TierChunk&) = default;
};

inline TierChunk next_tier_chunk(TierChunk place) {
  return ++place.chunk == 0 ? TierChunk{static_cast<TierNo>(place.tier + 1), 0} : place;
}

// Identifies a chunk. The checksum of each frame covers the key, so a frame in the wrong place counts as
// damaged.
struct ChunkKey {
  TierNo tier = 0;
  ChunkNo chunk = 0;
  SeriesId id = 0;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

}  // namespace statmill
