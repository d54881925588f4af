// Shard: one of the 256 slices of all series: a hash table and the lock over it.
//
// Its lock is held for the updates of one batch, one step of the tick or the copy of one series; never across
// I/O or encoding. A series' samples lie in up to four runs: two deltas (the epoch that ingest writes, the
// one that the tick collects), pending (journaled, not yet in fragments) and flushing (on their way into the
// store).
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "proto/sample.h"
#include "server/table/slot_run.h"
#include "storage/ids.h"

namespace statmill {

struct Series {
  static constexpr Slot kNever = -1;

  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  std::string name;
  Slot first_slot = kNever;  // of the finest tier: the oldest and newest slot that ever had a sample
  Slot last_slot = kNever;
  std::array<SlotRun, 2> delta;  // by the epoch's parity
  SlotRun pending;
  SlotRun flushing;

  Combine combine() const { return kind == Kind::kEvent ? Combine::kAddEvents : Combine::kMerge; }
  void saw(Slot slot) {
    if (first_slot == kNever || slot < first_slot) first_slot = slot;
    if (slot > last_slot) last_slot = slot;
  }
};

// Open addressing with linear probing over (hash, series) pairs of 16 bytes; power-of-two size, at most 3/4
// full.
class SeriesIndex {
 public:
  // The series of that name, or null.
  Series* find(uint64_t hash, std::string_view name) const;
  // Requires: the name is not there yet.
  void insert(uint64_t hash, Series* series);

 private:
  struct Entry {
    uint64_t hash = 0;
    Series* series = nullptr;
  };
  void place(uint64_t hash, Series* series);
  // Shards take the top bits of the hash, so entries take the low ones.
  size_t start(uint64_t hash) const { return hash & (entries_.size() - 1); }

  std::vector<Entry> entries_;
  size_t used_ = 0;
};

struct Shard {
  mutable Mutex mutex;
  SeriesIndex index GUARDED_BY(mutex);
  std::deque<Series> series GUARDED_BY(mutex);                    // stable addresses, in order of creation
  std::array<std::vector<Series*>, 2> dirty GUARDED_BY(mutex);    // with a delta of that parity
  std::array<std::vector<Series*>, 2> created GUARDED_BY(mutex);  // first seen in that epoch
  std::vector<Series*> with_pending GUARDED_BY(mutex);
  std::vector<Series*> with_flushing GUARDED_BY(mutex);
  size_t pending_slots GUARDED_BY(mutex) = 0;
  TickNo flushed_tick GUARDED_BY(mutex) = 0;   // journal rows up to here are in fragments
  TickNo flushing_tick GUARDED_BY(mutex) = 0;  // the flush under way, or 0
};

}  // namespace statmill
