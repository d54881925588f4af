// Shard: one of the 256 slices of all series: a hash table and the lock over it.
//
// Its lock is held for the updates of one batch, one step of the tick or the copy of one series; never across
// I/O or the coding of chunks. A series' samples lie in up to four places: two deltas (the epoch that ingest
// writes, the one that the tick collects), pending (journaled, not yet in fragments) and flushing (on their
// way into the store).
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "proto/istatd_lines.h"
#include "proto/sample.h"
#include "server/table/delta_pool.h"
#include "server/table/packed_slot.h"
#include "storage/ids.h"
#include "storage/window.h"

namespace statmill {

struct Series {
  static constexpr Slot kNever = -1;

  const char* name_begin = nullptr;  // in the table's NameArena
  uint16_t name_size = 0;
  Kind kind = Kind::kGauge;
  RetentionClass retention = kDefaultRetention;
  PackedSlot first_slot = kNever;  // of the finest tier: the oldest and newest slot that ever had a sample
  PackedSlot last_slot = kNever;
  std::array<DeltaPool::Chain, 2> delta{};  // by the epoch's parity; what a sample needs ends here
  SeriesId id = 0;
  uint32_t flushing = 0;  // 1 + place in Shard::flushing, or 0
  Window pending;

  // Asks for the memory of what a sample needs.
  void prefetch() const {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(&delta[1], 1);
  }
  // The same of what collecting a delta needs.
  void prefetch_pending() const {
    __builtin_prefetch(this, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(this + 1) - 1, 1);
  }
  // The same of what comparing its name needs.
  void prefetch_name() const {
    __builtin_prefetch(name_begin);
    __builtin_prefetch(name_begin + name_size - 1);
  }
  std::string_view name() const { return {name_begin, name_size}; }
  // Requires: it stays where it is.
  void set_name(std::string_view name) {
    static_assert(kNameBytesMax <= UINT16_MAX);
    name_begin = name.data();
    name_size = static_cast<uint16_t>(name.size());
  }
  Combine combine() const { return kind == Kind::kEvent ? Combine::kAddEvents : Combine::kMerge; }
  // At start, into `pending`: so many entries of a journal row, false when the bytes are none; or one.
  bool replay(uint32_t entries, Reader& in);
  void replay(const SlotBucket& entry);
  void saw(Slot slot) {
    if (first_slot == kNever || slot < first_slot) first_slot = slot;
    if (slot > last_slot) last_slot = slot;
  }
};

static_assert(sizeof(Series) == 88);  // a million of them are a good part of the server's RAM

// Series at stable addresses. Places that were given back are empty series without a name, until they are
// given out again.
class SeriesList {
 public:
  using Place = uint32_t;

  // An empty series' place.
  Place add() {
    if (!vacant_.empty()) {
      const Place place = vacant_.back();
      vacant_.pop_back();
      return place;
    }
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique<std::array<Series, kBlock>>());
    return static_cast<Place>(size_++);
  }
  void remove(Place place) {
    (*this)[place] = {};
    vacant_.push_back(place);
  }
  size_t size() const { return size_; }  // with vacant places
  Series& operator[](size_t i) { return (*blocks_[i / kBlock])[i % kBlock]; }
  const Series& operator[](size_t i) const { return (*blocks_[i / kBlock])[i % kBlock]; }

 private:
  static constexpr size_t kBlock = 32;
  std::vector<std::unique_ptr<std::array<Series, kBlock>>> blocks_;
  size_t size_ = 0;
  std::vector<Place> vacant_;
};

// Where the series of a name stands in the SeriesList: open addressing with linear probing over 8-byte
// entries; power-of-two size, at most 3/4 full.
class SeriesIndex {
 public:
  // The series of that name, or null.
  Series* find(uint64_t hash, std::string_view name, SeriesList& series) const {
    return find_in(hash, name, series);
  }
  const Series* find(uint64_t hash, std::string_view name, const SeriesList& series) const {
    return find_in(hash, name, series);
  }
  // The first series that may have the name, or null: what find() will most likely give. Touches no series.
  Series* guess(uint64_t hash, SeriesList& series) const;
  // Asks for the memory that guess() and find() begin with.
  void prefetch(uint64_t hash) const {
    if (!entries_.empty()) __builtin_prefetch(&entries_[start(hash)]);
  }
  // Adds the series at that place. Requires: it has its name, which is not there yet.
  void insert(uint64_t hash, SeriesList::Place place, const SeriesList& series);
  // Takes the name out; gives the place of its series. Requires: the name is there, and in the list.
  SeriesList::Place erase(uint64_t hash, std::string_view name, const SeriesList& series);

 private:
  struct Entry {
    uint32_t tag = 0;     // bits 24..55 of the hash
    uint32_t number = 0;  // 1 + place in the list; 0: empty
  };
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 24); }
  void put(Entry entry, uint64_t hash);
  size_t next(size_t i) const { return (i + 1) & (entries_.size() - 1); }
  // Shards take the top bits of the hash, so entries take the low ones, which a tag does not have.
  size_t start(uint64_t hash) const { return hash & (entries_.size() - 1); }

  template <class List>
  auto find_in(uint64_t hash, std::string_view name, List& series) const -> decltype(&series[0]) {
    if (entries_.empty()) return nullptr;
    for (size_t i = start(hash);; i = next(i)) {
      const Entry entry = entries_[i];
      if (entry.number == 0) return nullptr;
      if (entry.tag != tag_of(hash)) continue;
      auto* found = &series[entry.number - 1];
      if (found->name() == name) return found;
    }
  }

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
  SeriesList series GUARDED_BY(mutex);
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
