// Shard: one of the 256 slices of all series: a hash table and the lock over it.
//
// Its lock is held for the updates of one batch, one step of the tick or the copy of one series; never across
// I/O or the coding of chunks.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "server/table/delta_pool.h"
#include "server/table/series_arena.h"
#include "storage/codec/window.h"
#include "storage/ids.h"

namespace statmill {

// Where the series of a name stands in the arena: open addressing with linear probing over 8-byte entries;
// power-of-two size, at most 3/4 full.
class SeriesIndex {
 public:
  using Number = SeriesArena::Number;

  // The series of that name, or null.
  Series* find(uint64_t hash, std::string_view name, const SeriesArena& arena) const;
  // The first series that may have the name, what find() will most likely give; 0: there is none. Touches no
  // series.
  Number guess(uint64_t hash) const;
  // Asks for the memory that guess() and find() begin with.
  void prefetch(uint64_t hash) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[start(hash)]);
  }
  // Requires: the series has its name, which is not there yet.
  void insert(uint64_t hash, Number number, const SeriesArena& arena);
  // Takes the name out; gives its series. Requires: the name is there.
  Number erase(uint64_t hash, std::string_view name, const SeriesArena& arena);
  // All that are in, in no order.
  std::vector<Series*> all(const SeriesArena& arena) const;

 private:
  struct Entry {
    uint32_t tag = 0;   // bits 24..55 of the hash
    Number number = 0;  // 0: empty
  };
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 24); }
  void put(Entry entry, uint64_t hash);
  size_t next(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  // Shards take the top bits of the hash, so entries take the low ones, which a tag does not have.
  size_t start(uint64_t hash) const { return hash & (entries_.size() - 1); }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

// Half-open, of the finest tier.
struct SlotRange {
  Slot begin = 0;
  Slot end = 0;

  bool has(Slot slot) const { return begin <= slot && slot < end; }
};

struct Shard {
  mutable Mutex mutex;
  SeriesIndex index GUARDED_BY(mutex);
  std::array<std::vector<Series*>, 2> dirty GUARDED_BY(mutex);    // with a delta of that parity
  std::array<std::vector<Series*>, 2> created GUARDED_BY(mutex);  // first seen in that epoch
  std::array<DeltaPool, 2> deltas GUARDED_BY(mutex);
  struct Flushing {
    Series* series = nullptr;
    Window window;       // does not change: the tick's thread reads it without the lock
    SlotRange erased{};  // void from flushing_tick on, in the store and in `window`; mostly empty
  };
  std::vector<Flushing> flushing GUARDED_BY(mutex);
  struct Erasure {
    Series* series = nullptr;
    SlotRange slots;
  };
  std::vector<Erasure> erasures GUARDED_BY(mutex);  // for the flush that is about to begin
  size_t pending_bytes GUARDED_BY(mutex) = 0;       // of the pending windows
  TickNo flushed_tick GUARDED_BY(mutex) = 0;        // journal rows up to here are in fragments
  TickNo flushing_tick GUARDED_BY(mutex) = 0;       // the flush under way, or 0
};

}  // namespace statmill
