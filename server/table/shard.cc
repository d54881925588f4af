#include "server/table/shard.h"

#include <algorithm>

#include "base/check.h"

namespace statmill {

void SeriesIndex::put(Entry entry) {
  size_t i = start(entry.tag);
  while (!entries_[i].ref.is_none()) i = next(i);
  entries_[i] = entry;
}

void SeriesIndex::resize(size_t size) {
  std::vector<Entry> old(size);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (!entry.ref.is_none()) put(entry);
  }
}

size_t SeriesIndex::probes(uint64_t hash) const {
  size_t count = 0;
  if (entries_.empty()) return count;
  for (size_t i = start(hash); !entries_[i].ref.is_none(); i = next(i)) ++count;
  return count;
}

void SeriesIndex::insert(uint64_t hash, SeriesPlace series) {
  if (4 * (used_ + 1) > 3 * entries_.size()) resize(std::max(kEntriesMin, 2 * entries_.size()));
  put({tag_of(hash), series});
  ++used_;
}

size_t SeriesIndex::place_of(uint64_t hash, SeriesPlace series) const {
  SM_CHECK(!entries_.empty());
  size_t i = start(hash);
  for (; entries_[i].ref != series; i = next(i)) SM_CHECK(!entries_[i].ref.is_none());
  return i;
}

void SeriesIndex::erase(uint64_t hash, SeriesPlace series) {
  size_t hole = place_of(hash, series);
  // Each entry after the hole, up to the first empty one, moves into the hole unless the hole lies before the
  // entry where a search for it starts.
  for (size_t i = next(hole); !entries_[i].ref.is_none(); i = next(i)) {
    const size_t mask = entries_.size() - 1;
    if (((i - start(entries_[i].tag)) & mask) < ((i - hole) & mask)) continue;
    entries_[hole] = entries_[i];
    hole = i;
  }
  entries_[hole] = {};
  --used_;
  if (8 * used_ < entries_.size() && entries_.size() > kEntriesMin) resize(entries_.size() / 2);
}

std::vector<Series*> SeriesIndex::awake(const SeriesArena& arena) const {
  std::vector<Series*> series;
  for (const Entry& entry : entries_) {
    if (entry.ref.is_awake()) series.push_back(&arena[entry.ref.number()]);
  }
  return series;
}

SeriesPlace Shard::find(uint64_t hash, std::string_view name, const SeriesArena& arena) const {
  return index.find(hash, [&](SeriesPlace found) {
    mutex.held();
    return found.is_idle() ? names->is_named(idle[found.number()].row, name)
                           : arena[found.number()].is_named(name);
  });
}

}  // namespace statmill
