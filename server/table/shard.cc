// See shard.h.
#include "server/table/shard.h"

namespace statmill {

Series* SeriesIndex::find(uint64_t hash, std::string_view name) const {
  if (entries_.empty()) return nullptr;
  for (size_t i = start(hash);; i = (i + 1) & (entries_.size() - 1)) {
    const Entry& entry = entries_[i];
    if (entry.series == nullptr) return nullptr;
    if (entry.hash == hash && entry.series->name == name) return entry.series;
  }
}

void SeriesIndex::place(uint64_t hash, Series* series) {
  size_t i = start(hash);
  while (entries_[i].series != nullptr) i = (i + 1) & (entries_.size() - 1);
  entries_[i] = {hash, series};
}

void SeriesIndex::insert(uint64_t hash, Series* series) {
  if (4 * (used_ + 1) > 3 * entries_.size()) {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.series != nullptr) place(entry.hash, entry.series);
    }
  }
  place(hash, series);
  ++used_;
}

}  // namespace statmill
