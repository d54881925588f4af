#include "server/prometheus/last_values.h"

#include <utility>

namespace statmill {

LastValueTable::Place LastValueTable::find(const Hash128& name) const {
  for (size_t i = start(name); index_[i] != kNone; i = next(i)) {
    if (entries_[index_[i]].value.name == name) return index_[i];
  }
  return kNone;
}

LastValueTable::Place LastValueTable::insert(const LastValue& value) {
  if (size() >= index_.size() / 4 * 3) resize(2 * index_.size());
  Place place = 0;
  if (free_.empty()) {
    place = places();
    entries_.push_back({value, true});
  } else {
    place = free_.back();
    free_.pop_back();
    entries_[place] = {value, true};
  }
  put(place);
  histogram_bytes_ += value.histogram_bytes();
  return place;
}

void LastValueTable::set(Place place, const LastValue& value) {
  LastValue& entry = entries_[place].value;
  histogram_bytes_ += value.histogram_bytes() - entry.histogram_bytes();
  entry = value;
}

void LastValueTable::put(Place place) {
  size_t i = start(entries_[place].value.name);
  while (index_[i] != kNone) i = next(i);
  index_[i] = place;
}

// Leaves no tombstone: later places of the index move up, so that a search from an entry's start finds it.
void LastValueTable::erase(Place place) {
  size_t i = start(entries_[place].value.name);
  while (index_[i] != place) i = next(i);
  const size_t mask = index_.size() - 1;
  size_t hole = i;
  for (i = next(i); index_[i] != kNone; i = next(i)) {
    const size_t searched = (i - start(entries_[index_[i]].value.name)) & mask;
    if (searched < ((i - hole) & mask)) continue;
    index_[hole] = index_[i];
    hole = i;
  }
  index_[hole] = kNone;
  histogram_bytes_ -= entries_[place].value.histogram_bytes();
  entries_[place] = {{}, false};
  free_.push_back(place);
}

void LastValueTable::resize(size_t size) {
  const std::vector<Place> old = std::exchange(index_, std::vector<Place>(size, kNone));
  for (const Place place : old) {
    if (place != kNone) put(place);
  }
}

}  // namespace statmill
