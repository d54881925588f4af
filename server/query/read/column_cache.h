// ColumnCache: the decoded columns of chunks, so that a query that comes again does not decode them again.
//
// An entry is of one chunk and of the very bytes of its frames: it is used only if the frames that were just
// read have the same hash. So a late sample and an erased slot, which change the frames, make it stale by
// comparison; nobody has to report a change. So does another series that has the id of a deleted one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "base/mutex.h"
#include "server/query/read/packed_chunk.h"
#include "storage/ids.h"
#include "storage/slot_columns.h"

namespace statmill {

// Thread-safe. Its entries belong to one store.
class ColumnCache {
 public:
  // `bytes_max`: of all entries; 0: there is no cache.
  explicit ColumnCache(size_t bytes_max) : shard_bytes_max_(bytes_max / kShards) {}

  struct Place {
    ChunkKey key;
    Slot first_slot = 0;      // of the chunk
    int64_t chunk_slots = 0;  // in the chunk
  };
  struct Decoded {
    uint64_t damaged_frames = 0;
    bool is_cached = false;  // the cache had the columns
  };
  // Adds the buckets of the chunk to `out`, as decode_columns() does. A chunk becomes an entry when it is
  // decoded the second time within the last kSeen chunks or so, and is decoded again when a query needs
  // parts that the entry lacks. Cost if it is cached: the hash of the frames, some 0.1 ns a byte, 0.3 ns a
  // slot, and that of PackedHistograms; otherwise that of decode_columns(), the second time twice.
  Decoded decode(const Place& place, std::string_view frames, SlotColumns& out);

  size_t bytes() const;  // of all entries

 private:
  static constexpr size_t kShards = 16;
  static constexpr size_t kIdsPerShard = 32;        // in a row
  static constexpr size_t kSeen = size_t{1} << 12;  // chunks that a shard remembers to have decoded once

  struct Entry {
    Hash128 frames;
    std::shared_ptr<const PackedChunk> chunk;  // nullptr: the chunk cannot be packed, or is too large
    size_t bytes = 0;
    bool is_used = false;  // since it was last passed over for eviction
  };
  // Queries read the chunks of series with ids in a row. Their entries are near to each other in memory.
  struct KeyHash {
    size_t operator()(const ChunkKey& key) const { return hash_of(key); }
  };
  struct Shard {
    mutable Mutex mutex;
    std::unordered_map<ChunkKey, Entry, KeyHash> entries GUARDED_BY(mutex);
    std::deque<ChunkKey> queue GUARDED_BY(mutex);  // keys of all entries; the front one is looked at first
    size_t bytes GUARDED_BY(mutex) = 0;
    // Hashes of chunks with their frames, by their low bits: a newer one takes the place of an older one.
    std::array<uint64_t, kSeen> seen GUARDED_BY(mutex){};
  };

  static uint64_t hash_of(const ChunkKey& key);
  Shard& shard_of_key(const ChunkKey& key) { return shards_[hash_of(key) / kIdsPerShard % kShards]; }
  // Returns the entry of these frames; nullopt if there is none.
  static std::optional<std::shared_ptr<const PackedChunk>> find(Shard& shard, const ChunkKey& key,
                                                                const Hash128& frames);
  // Returns whether these frames were decoded before, and remembers them.
  static bool is_seen(Shard& shard, const ChunkKey& key, const Hash128& frames);
  void insert(Shard& shard, const ChunkKey& key, Entry entry) const;

  // Nobody outside knows it, so nobody can choose samples whose frames have the hash of others.
  const uint64_t seed_ = std::random_device()();
  const size_t shard_bytes_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace statmill
