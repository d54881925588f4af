// LastValueTable: the last values of all series of senders that repeat themselves, by the hash of their
// names.
//
// An entry keeps its place as long as it lives, so that a pass over all places, in parts and between changes,
// meets every entry that lives throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "proto/last_value.h"

namespace statmill {

// Thread-compatible. Among n names, the chance that two have one hash is n^2 / 2^129 (base/hash.h).
class LastValueTable {
 public:
  using Place = uint32_t;
  static constexpr Place kNone = UINT32_MAX;

  LastValueTable() : index_(kIndexMin, kNone) {}

  Place find(const Hash128& name) const;
  // Requires: find(value.name) == kNone.
  Place insert(const LastValue& value);
  void erase(Place place);
  // Requires: the entry has the same name.
  void set(Place place, const LastValue& value);
  void prefetch(const Hash128& name) const { __builtin_prefetch(&index_[start(name)]); }

  // Returns whether a sender said that the series ends after its last value. In RAM only.
  bool is_ended(Place place) const { return entries_[place].is_ended; }
  void set_ended(Place place, bool is_ended) { entries_[place].is_ended = is_ended; }
  void set_seen(Place place, int64_t seen_s) { entries_[place].value.seen_s = seen_s; }
  const LastValue& at(Place place) const { return entries_[place].value; }
  bool is_used(Place place) const { return entries_[place].is_used; }
  Place places() const { return static_cast<Place>(entries_.size()); }  // used or not
  size_t size() const { return entries_.size() - free_.size(); }
  size_t histogram_bytes() const { return histogram_bytes_; }
  size_t memory_bytes() const {
    return entries_.size() * sizeof(Entry) + (index_.capacity() + free_.capacity()) * sizeof(Place) +
           histogram_bytes_;
  }

 private:
  static constexpr size_t kIndexMin = 64;
  struct Entry {
    LastValue value;
    bool is_used = true;
    bool is_ended = false;
  };

  size_t start(const Hash128& name) const { return name.low & (index_.size() - 1); }
  size_t next(size_t i) const { return (i + 1) & (index_.size() - 1); }
  void put(Place place);
  void resize(size_t size);

  std::deque<Entry> entries_;
  std::vector<Place> free_;
  size_t histogram_bytes_ = 0;  // of all entries
  // Open addressing with linear probing; the size is a power of two, at most three quarters are used.
  std::vector<Place> index_;
};

}  // namespace statmill
