#include "server/prometheus/last_values.h"

#include <algorithm>
#include <utility>

namespace statmill {

LastValueTable::Place LastValueTable::find(const Hash128& name) const {
  return by_name_.find(name, name_of_place());
}

LastValueTable::Place LastValueTable::find_labels(const Hash128& labels) const {
  return by_labels_.find(labels, labels_of_place());
}

LastValueTable::Place LastValueTable::insert(const LastValue& value) {
  const Place place = new_place();
  Entry& made = entry(place);
  made.name = value.name;
  made.is_used = true;
  write(made, value);
  by_name_.insert(place, name_of_place());
  return place;
}

LastValueTable::Place LastValueTable::new_place() {
  if (!free_.empty()) {
    const Place place = free_.back();
    free_.pop_back();
    return place;
  }
  if (places_ == chunks_.size() * kChunkEntries) chunks_.push_back(std::make_unique<Chunk>());
  return places_++;
}

void LastValueTable::set(Place place, const LastValue& value) { write(entry(place), value); }

void LastValueTable::write(Entry& entry, const LastValue& value) {
  constexpr int64_t kTimeMax = (int64_t{1} << (kTimeBits - 1)) - 1;
  constexpr uint64_t kTimeMask = (uint64_t{1} << kTimeBits) - 1;
  entry.mantissa = value.value.mantissa;
  const int64_t time_ms = std::clamp(value.time_ms, -kTimeMax - 1, kTimeMax);
  entry.time_ms = static_cast<uint64_t>(time_ms) & kTimeMask;
  entry.scale_and_one = static_cast<uint64_t>(value.value.scale + 1) & 0x1f;
  entry.is_counter = value.is_counter;
  entry.seen_s = static_cast<uint32_t>(std::clamp<int64_t>(value.seen_s, 0, UINT32_MAX));
  if (entry.rare != 0 || value.start_ms != 0 || value.time_ns != 0 || value.histogram)
    write_rare(entry, value);
}

void LastValueTable::write_rare(Entry& entry, const LastValue& value) {
  const bool has_none = value.start_ms == 0 && value.time_ns == 0 && !value.histogram;
  if (entry.rare == 0) {
    if (free_rare_.empty()) {
      rare_.emplace_back();
      free_rare_.push_back(static_cast<RareNumber>(rare_.size()));
    }
    entry.rare = free_rare_.back();
    free_rare_.pop_back();
  }
  Rare& rare = rare_[entry.rare - 1];
  histogram_bytes_ += value.histogram_bytes() - LastValue::bytes_of(rare.histogram);
  rare = {value.start_ms, value.time_ns, value.histogram};
  if (has_none) free_rare_.push_back(std::exchange(entry.rare, 0));
}

LastValue LastValueTable::at(Place place) const {
  const Entry& from = entry(place);
  LastValue value;
  value.name = from.name;
  value.value = {from.mantissa, static_cast<int8_t>(static_cast<int>(from.scale_and_one) - 1)};
  constexpr size_t kOtherBits = 64 - kTimeBits;
  value.time_ms = static_cast<int64_t>(uint64_t{from.time_ms} << kOtherBits) >> kOtherBits;
  value.seen_s = from.seen_s;
  value.is_counter = from.is_counter;
  if (from.rare == 0) return value;
  const Rare& rare = rare_[from.rare - 1];
  value.start_ms = rare.start_ms;
  value.time_ns = rare.time_ns;
  value.histogram = rare.histogram;
  return value;
}

void LastValueTable::set_seen(Place place, int64_t seen_s) {
  entry(place).seen_s = static_cast<uint32_t>(std::clamp<int64_t>(seen_s, 0, UINT32_MAX));
}

size_t LastValueTable::memory_bytes() const {
  return chunks_.size() * sizeof(Chunk) + rare_.size() * sizeof(Rare) +
         (free_.capacity() + free_rare_.capacity()) * sizeof(Place) + by_name_.memory_bytes() +
         by_labels_.memory_bytes() + histogram_bytes_;
}

void LastValueTable::set_labels(Place place, const Hash128& labels, SeriesHandle handle) {
  Entry& of = entry(place);
  of.handle = handle;
  if (of.labels == labels) return;
  if (of.labels != kNoLabels) by_labels_.erase(place, labels_of_place());
  of.labels = kNoLabels;
  if (labels == kNoLabels) return;
  if (const Place other = find_labels(labels); other != kNone) set_labels(other, kNoLabels);
  of.labels = labels;
  by_labels_.insert(place, labels_of_place());
}

void LastValueTable::erase(Place place) {
  by_name_.erase(place, name_of_place());
  set_labels(place, kNoLabels);
  write(entry(place), {});  // frees its rare part
  entry(place) = {};
  free_.push_back(place);
}

}  // namespace statmill
