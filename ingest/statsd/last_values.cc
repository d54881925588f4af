#include "ingest/statsd/last_values.h"

#include <algorithm>
#include <utility>

namespace statmill {

void LastValues::insert(const Hash128& name, const Number& value, Timestamp time) {
  if (used_ >= entries_.size() / 8 * 7) resize(2 * entries_.size());
  Entry entry;
  entry.name_ = name;
  entry.set(value, time);
  put(entry);
  ++used_;
}

void LastValues::put(const Entry& entry) {
  size_t i = start(entry.name_);
  while (!entries_[i].is_empty()) i = next(i);
  entries_[i] = entry;
}

// erase() moves entries only towards the checked one or, across the end of the table, from its first entries
// to its last. So the sweep misses none.
uint64_t LastValues::forget_before(Timestamp time) {
  const size_t used_before = used_;
  for (size_t part = entries_.size() / kSweepParts + 1; part > 0; --part) {
    while (!entries_[sweep_].is_empty() && entries_[sweep_].time() < time) erase(sweep_);
    sweep_ = next(sweep_);
    // Shrinks only here: resize() restarts the sweep, so a full pass must complete between two of them.
    const bool is_oversized = sweep_ == 0 && entries_.size() > kEntriesMin && used_ < entries_.size() / 8;
    if (is_oversized) resize(std::max(kEntriesMin, entries_.size() / 4));
  }
  return used_before - used_;
}

// Leaves no tombstone: later entries move up, so that a search from an entry's start still finds it.
void LastValues::erase(size_t i) {
  size_t hole = i;
  for (i = next(i); !entries_[i].is_empty(); i = next(i)) {
    const size_t mask = entries_.size() - 1;
    const size_t searched = (i - start(entries_[i].name_)) & mask;  // distance from the start of its search
    if (searched < ((i - hole) & mask)) continue;
    entries_[hole] = entries_[i];
    hole = i;
  }
  entries_[hole] = {};
  --used_;
}

void LastValues::resize(size_t entries) {
  const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries));
  for (const Entry& entry : old) {
    if (!entry.is_empty()) put(entry);
  }
  sweep_ = 0;
}

}  // namespace statmill
