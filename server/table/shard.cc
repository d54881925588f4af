#include "server/table/shard.h"

#include <algorithm>

#include "base/check.h"

namespace statmill {

void SeriesIndex::put(Entry entry, uint64_t hash) {
  size_t i = start(hash);
  while (entries_[i].number != 0) i = next(i);
  entries_[i] = entry;
}

void SeriesIndex::resize(size_t size, const SeriesArena& arena, const KeyedHash& hash_of) {
  std::vector<Entry> old(size);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.number != 0) put(entry, hash_of(arena[entry.number].name()));
  }
}

SeriesIndex::Number SeriesIndex::guess(uint64_t hash) const {
  if (entries_.empty()) return 0;
  for (size_t i = start(hash);; i = next(i)) {
    const Entry entry = entries_[i];
    if (entry.number == 0 || entry.tag == tag_of(hash)) return entry.number;
  }
}

size_t SeriesIndex::probes(uint64_t hash) const {
  size_t count = 0;
  if (entries_.empty()) return count;
  for (size_t i = start(hash); entries_[i].number != 0; i = next(i)) ++count;
  return count;
}

Series* SeriesIndex::find(uint64_t hash, std::string_view name, const SeriesArena& arena) const {
  if (entries_.empty()) return nullptr;
  for (size_t i = start(hash);; i = next(i)) {
    const Entry entry = entries_[i];
    if (entry.number == 0) return nullptr;
    if (entry.tag != tag_of(hash)) continue;
    Series& found = arena[entry.number];
    if (found.name() == name) return &found;
  }
}

void SeriesIndex::insert(uint64_t hash, Number number, const SeriesArena& arena, const KeyedHash& hash_of) {
  if (4 * (used_ + 1) > 3 * entries_.size())
    resize(std::max(kEntriesMin, 2 * entries_.size()), arena, hash_of);
  put({tag_of(hash), number}, hash);
  ++used_;
}

SeriesIndex::Number SeriesIndex::erase(uint64_t hash, std::string_view name, const SeriesArena& arena,
                                       const KeyedHash& hash_of) {
  SM_CHECK(!entries_.empty());
  const auto is_it = [&](const Entry& entry) {
    return entry.tag == tag_of(hash) && arena[entry.number].name() == name;
  };
  size_t hole = start(hash);
  for (; entries_[hole].number != 0 && !is_it(entries_[hole]); hole = next(hole)) continue;
  const Number number = entries_[hole].number;
  SM_CHECK(number != 0);
  // Each entry after the hole, up to the first empty one, moves into the hole unless the hole lies before the
  // entry where a search for it starts.
  for (size_t i = next(hole); entries_[i].number != 0; i = next(i)) {
    const size_t wanted = start(hash_of(arena[entries_[i].number].name()));
    const size_t mask = entries_.size() - 1;
    if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
    entries_[hole] = entries_[i];
    hole = i;
  }
  entries_[hole] = {};
  --used_;
  if (8 * used_ < entries_.size() && entries_.size() > kEntriesMin)
    resize(entries_.size() / 2, arena, hash_of);
  return number;
}

std::vector<Series*> SeriesIndex::all(const SeriesArena& arena) const {
  std::vector<Series*> series;
  series.reserve(used_);
  for (const Entry& entry : entries_) {
    if (entry.number != 0) series.push_back(&arena[entry.number]);
  }
  return series;
}

}  // namespace statmill
