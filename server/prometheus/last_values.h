// LastValueTable: the last values of all series of senders that repeat themselves, by the hash of their
// names, and by that of their labels as they were sent last.
//
// An entry keeps its place as long as it lives, so that a pass over all places, in parts and between changes,
// meets every entry that lives throughout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "proto/last_value.h"
#include "proto/series_handle.h"
#include "server/prometheus/place_index.h"

namespace statmill {

// Thread-compatible. Among n names, the chance that two have one hash is n^2 / 2^129 (base/hash.h).
class LastValueTable {
 public:
  using Place = PlaceIndex::Place;
  static constexpr Place kNone = PlaceIndex::kNone;

  Place find(const Hash128& name) const;
  // Requires: find(value.name) == kNone.
  Place insert(const LastValue& value);
  void erase(Place place);
  // Requires: the entry has the same name.
  void set(Place place, const LastValue& value);
  // Called for many names in turn before find(), these two make it wait for no memory: the second one for
  // those for which the first was called.
  void prefetch(const Hash128& name) const { by_name_.prefetch(name); }
  void prefetch_entry(const Hash128& name) const { prefetch_place(by_name_.guess(name)); }

  // The hash of the labels that the sender wrote last, so that they need not be read again. In RAM only, as
  // are all that follow up to is_ended().
  static constexpr Hash128 kNoLabels{};
  Place find_labels(const Hash128& labels) const;
  void prefetch_labels(const Hash128& labels) const { by_labels_.prefetch(labels); }
  void prefetch_labels_entry(const Hash128& labels) const { prefetch_place(by_labels_.guess(labels)); }
  // Returns true if the place has an entry with these labels.
  bool has_labels(Place place, const Hash128& labels) const {
    return place < places_ && entry(place).labels == labels;
  }
  // Replaces the labels of the entry, and the handle of their series. If another one had them, it has none
  // now.
  void set_labels(Place place, const Hash128& labels, SeriesHandle handle = {});
  SeriesHandle handle(Place place) const { return entry(place).handle; }
  // Returns whether a sender said that the series ends after its last value.
  bool is_ended(Place place) const { return entry(place).is_ended; }
  void set_ended(Place place, bool is_ended) { entry(place).is_ended = is_ended; }
  void set_seen(Place place, int64_t seen_s);
  int64_t seen_s(Place place) const { return entry(place).seen_s; }
  LastValue at(Place place) const;
  const Hash128& name(Place place) const { return entry(place).name; }
  bool is_used(Place place) const { return entry(place).is_used; }
  Place places() const { return places_; }  // used or not
  size_t size() const { return places_ - free_.size(); }
  size_t histogram_bytes() const { return histogram_bytes_; }
  size_t memory_bytes() const;

 private:
  static constexpr size_t kTimeBits = 48;  // of milliseconds: to the year 6429
  using RareNumber = uint32_t;             // 1 + the index of a Rare; 0: none
  // What most series do not have. Those of OpenTelemetry do.
  struct Rare {
    int64_t start_ms = 0;
    uint32_t time_ns = 0;
    std::shared_ptr<const std::string> histogram = nullptr;
  };
  // A LastValue, without its rare part, and the state of the place.
  struct alignas(64) Entry {
    Hash128 name;
    Hash128 labels = kNoLabels;
    SeriesHandle handle;
    int64_t mantissa = 0;
    uint64_t time_ms : kTimeBits = 0;
    uint64_t scale_and_one : 5 = 0;
    bool is_counter : 1 = false;
    bool is_used : 1 = false;
    bool is_ended : 1 = false;
    uint32_t seen_s = 0;
    RareNumber rare = 0;
  };
  static_assert(sizeof(Entry) == 64);  // one cache line
  // Entries never move.
  static constexpr size_t kChunkEntries = 1024;
  using Chunk = std::array<Entry, kChunkEntries>;

  Entry& entry(Place place) { return (*chunks_[place / kChunkEntries])[place % kChunkEntries]; }
  const Entry& entry(Place place) const { return (*chunks_[place / kChunkEntries])[place % kChunkEntries]; }
  auto name_of_place() const {
    return [this](Place place) -> const Hash128& { return entry(place).name; };
  }
  auto labels_of_place() const {
    return [this](Place place) -> const Hash128& { return entry(place).labels; };
  }
  void prefetch_place(Place place) const {
    if (place != kNone) __builtin_prefetch(&entry(place), 1);
  }
  Place new_place();
  void write(Entry& entry, const LastValue& value);
  void write_rare(Entry& entry, const LastValue& value);

  std::vector<std::unique_ptr<Chunk>> chunks_;
  Place places_ = 0;
  std::vector<Place> free_;
  std::deque<Rare> rare_;
  std::vector<RareNumber> free_rare_;
  size_t histogram_bytes_ = 0;  // of all entries
  PlaceIndex by_name_;
  PlaceIndex by_labels_;  // has only the entries with labels
};

}  // namespace statmill
