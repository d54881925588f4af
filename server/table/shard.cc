// See shard.h.
#include "server/table/shard.h"

#include <utility>

#include "base/check.h"
#include "base/hash.h"

namespace statmill {

bool Series::replay(uint32_t entries, Reader& in) {
  for (uint32_t i = 0; i < entries; ++i) {
    const std::optional<Slot> slot = pending.add_entry(in, combine());
    if (!slot) return false;
    saw(*slot);
  }
  return true;
}

void Series::replay(const SlotBucket& entry) {
  pending.add(entry, combine(), nullptr);
  saw(entry.slot);
}

void SeriesIndex::put(Entry entry, uint64_t hash) {
  size_t i = start(hash);
  while (entries_[i].number != 0) i = next(i);
  entries_[i] = entry;
}

Series* SeriesIndex::guess(uint64_t hash, SeriesList& series) const {
  if (entries_.empty()) return nullptr;
  for (size_t i = start(hash);; i = next(i)) {
    const Entry entry = entries_[i];
    if (entry.number == 0) return nullptr;
    if (entry.tag == tag_of(hash)) return &series[entry.number - 1];
  }
}

void SeriesIndex::insert(uint64_t hash, SeriesList::Place place, const SeriesList& series) {
  if (4 * (used_ + 1) > 3 * entries_.size()) {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.number != 0) put(entry, hash_name(series[entry.number - 1].name()));
    }
  }
  put({tag_of(hash), place + 1}, hash);
  ++used_;
}

SeriesList::Place SeriesIndex::erase(uint64_t hash, std::string_view name, const SeriesList& series) {
  SM_CHECK(!entries_.empty());
  const auto is_it = [&](const Entry& entry) {
    return entry.tag == tag_of(hash) && series[entry.number - 1].name() == name;
  };
  size_t hole = start(hash);
  for (; entries_[hole].number != 0 && !is_it(entries_[hole]); hole = next(hole)) continue;
  SM_CHECK(entries_[hole].number != 0);
  const SeriesList::Place place = entries_[hole].number - 1;
  // Whoever stands behind without a gap moves up, unless the hole lies before where a search for it starts.
  for (size_t i = next(hole); entries_[i].number != 0; i = next(i)) {
    const size_t wanted = start(hash_name(series[entries_[i].number - 1].name()));
    const size_t mask = entries_.size() - 1;
    if (((i - wanted) & mask) < ((i - hole) & mask)) continue;
    entries_[hole] = entries_[i];
    hole = i;
  }
  entries_[hole] = {};
  --used_;
  return place;
}

}  // namespace statmill
