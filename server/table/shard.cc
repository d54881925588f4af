// See shard.h.
#include "server/table/shard.h"

#include "base/hash.h"

namespace statmill {

void SeriesIndex::place(Entry entry, uint64_t hash) {
  size_t i = start(hash);
  while (entries_[i].number != 0) i = (i + 1) & (entries_.size() - 1);
  entries_[i] = entry;
}

void SeriesIndex::insert(uint64_t hash, const SeriesList& series) {
  if (4 * (used_ + 1) > 3 * entries_.size()) {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.number != 0) place(entry, hash_name(series[entry.number - 1].name));
    }
  }
  place({tag_of(hash), static_cast<uint32_t>(series.size())}, hash);
  ++used_;
}

}  // namespace statmill
