// The numbers that name things in storage.
#pragma once

#include <compare>
#include <cstdint>

#include "base/hash.h"

namespace statmill {

using SeriesId = uint32_t;  // dense from 0, never reused
using Slot = int64_t;       // unix seconds / step, of some tier
using ChunkNo = uint32_t;   // slot / chunk_slots, of some tier
using TickNo = uint64_t;    // counts the server's ticks over all its lives, from 1
using TierNo = uint8_t;     // index into Tiers, 0 is the finest
using ShardNo = uint8_t;    // 0..255
using RowPart = uint8_t;    // journal rows of one tick are cut into parts; in the first version: its shard

// How long a series is kept (storage/retention.h): 0 as the tiers say, 1.. as the rule of that number says.
using RetentionClass = uint8_t;
inline constexpr RetentionClass kDefaultRetention = 0;
inline constexpr RetentionClass kGone = 255;  // the series is deleted: nothing of it is kept

inline constexpr int kShardCount = 256;

// Which shard a series of this hash (hash_name) lives in: stored on disk through journal rows, never to
// change.
inline ShardNo shard_of(uint64_t hash) { return static_cast<ShardNo>(hash >> 56); }

// How far the rollup has come: every finest chunk below (chunk, id), in this order, is in the coarser tiers.
struct RollupPosition {
  ChunkNo chunk = 0;
  SeriesId id = 0;
  friend auto operator<=>(const RollupPosition&, const RollupPosition&) = default;
};

// The chunk that a frame belongs to. The key is part of the checksum of each frame, so a frame in the wrong
// place counts as damaged.
struct ChunkKey {
  TierNo tier = 0;
  ChunkNo chunk = 0;
  SeriesId id = 0;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

}  // namespace statmill
