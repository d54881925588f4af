// Shard: one of the 256 slices of all series: a hash table and its lock.
//
// The lock is held for the updates of one batch, one step of the tick or the copy of one series; never during
// I/O or while chunks are encoded or decoded.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "server/names/name_index.h"
#include "server/table/delta_pool.h"
#include "server/table/idle_series.h"
#include "server/table/series_arena.h"
#include "storage/codec/window.h"
#include "storage/ids.h"

namespace statmill {

// Maps hashes of names to series: open addressing with linear probing over 8-byte entries; the size is a
// power of two, at most 3/4 full, and at least 1/8 unless it is the smallest. It reads no name: the caller
// compares the names of series whose hashes are alike.
class SeriesIndex {
 public:
  // Returns the first series that may have the name, most likely the one that find() returns; none if no
  // series has the name. Reads no series.
  SeriesPlace guess(uint64_t hash) const {
    return find(hash, [](SeriesPlace) { return true; });
  }
  // Returns the series with such a hash for which `is_it` returns true, or none.
  template <class IsIt>
  SeriesPlace find(uint64_t hash, const IsIt& is_it) const {
    if (entries_.empty()) return {};
    for (size_t i = start(hash);; i = next(i)) {
      const Entry entry = entries_[i];
      if (entry.ref.is_none() || (entry.tag == tag_of(hash) && is_it(entry.ref))) return entry.ref;
    }
  }
  // Prefetches the memory that guess() and find() read first.
  void prefetch(uint64_t hash) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[start(hash)]);
  }
  // Requires: the series is not in the index.
  void insert(uint64_t hash, SeriesPlace series);
  // The next two require: the series is in the index, with this hash.
  void erase(uint64_t hash, SeriesPlace series);
  void replace(uint64_t hash, SeriesPlace series, SeriesPlace by) {
    entries_[place_of(hash, series)].ref = by;
  }
  // Returns how many entries a search for a hash that no series has reads.
  size_t probes(uint64_t hash) const;
  size_t ram_bytes() const { return entries_.size() * sizeof(Entry); }
  // Returns all series that are awake, in no order.
  std::vector<Series*> awake(const SeriesArena& arena) const;

 private:
  struct Entry {
    uint32_t tag = 0;  // the low bits of the hash, so that entries can be moved without it
    SeriesPlace ref;   // none if empty
  };
  static constexpr size_t kEntriesMin = 16;
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash); }
  void put(Entry entry);
  void resize(size_t size);
  size_t place_of(uint64_t hash, SeriesPlace series) const;
  size_t next(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  // The shard is chosen by the top bits of the hash.
  size_t start(uint64_t hash) const { return hash & (entries_.size() - 1); }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

// A half-open range of slots of the finest tier.
struct SlotRange {
  Slot begin = 0;
  Slot end = 0;

  bool has(Slot slot) const { return begin <= slot && slot < end; }
};

struct Shard {
  mutable Mutex mutex;
  SeriesIndex index GUARDED_BY(mutex);
  IdlePool idle GUARDED_BY(mutex);
  // Counts series that left the arena, modulo 2^32: a number that was read before it changed may be of
  // another series now.
  uint32_t removals GUARDED_BY(mutex) = 0;
  std::shared_ptr<const NameIndex> names GUARDED_BY(mutex);  // the index that the rows of `idle` are of
  // By the parity of the epoch.
  std::array<std::vector<Series*>, 2> dirty GUARDED_BY(mutex);    // series with a delta
  std::array<std::vector<Series*>, 2> created GUARDED_BY(mutex);  // series created in the epoch
  std::array<std::vector<Series*>, 2> changed GUARDED_BY(mutex);  // series whose rows changed in the epoch
  std::array<DeltaPool, 2> deltas GUARDED_BY(mutex);
  struct Flushing {
    Series* series = nullptr;
    Window window;             // never changes, so the tick thread reads it without the lock
    bool is_detailed = false;  // its slots are those of the detail tier
    SlotRange erased{};        // slots erased by this flush, in the store and in `window`; mostly empty
  };
  std::vector<Flushing> flushing GUARDED_BY(mutex);
  struct Erasure {
    Series* series = nullptr;
    SlotRange slots;
  };
  std::vector<Erasure> erasures GUARDED_BY(mutex);  // for the flush that begins next
  std::vector<Series*> resting GUARDED_BY(mutex);   // may become idle when the flush ends
  size_t active GUARDED_BY(mutex) = 0;              // series; see Table::active_count()
  Slot active_from GUARDED_BY(mutex) = 0;           // by which they were counted
  size_t pending_bytes GUARDED_BY(mutex) = 0;       // of the pending windows
  TickNo flushed_tick GUARDED_BY(mutex) = 0;        // journal rows up to this tick are in fragments
  TickNo flushing_tick GUARDED_BY(mutex) = 0;       // tick of the flush in progress, or 0

  // Returns the series of that name, or none.
  SeriesPlace find(uint64_t hash, std::string_view name, const SeriesArena& arena) const REQUIRES(mutex);
};

}  // namespace statmill
