// PlaceIndex: finds the place of a table that has a hash. It stores places only; its owner knows the hash of
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace statmill {

// Open addressing with linear probing; the size is a power of two, at most three quarters are used.
// Thread-compatible. `hash_of(place)` returns the hash of a place that is in the index.
class PlaceIndex {
 public:
  using Place = uint32_t;
  static constexpr Place kNone = UINT32_MAX;

  PlaceIndex() : places_(kSizeMin, kNone) {}

  template <class HashOf>
  Place find(const Hash128& hash, const HashOf& hash_of) const {
    for (size_t i = start(hash); places_[i] != kNone; i = next(i)) {
      if (hash_of(places_[i]) == hash) return places_[i];
    }
    return kNone;
  }
  // Returns the place that find() looks at first, or kNone.
  Place guess(const Hash128& hash) const { return places_[start(hash)]; }
  void prefetch(const Hash128& hash) const { __builtin_prefetch(&places_[start(hash)]); }

  // Requires: no place of the index has the hash of this one.
  template <class HashOf>
  void insert(Place place, const HashOf& hash_of) {
    if (used_ >= places_.size() / 4 * 3) {
      const std::vector<Place> old = std::exchange(places_, std::vector<Place>(2 * places_.size(), kNone));
      for (const Place one : old) {
        if (one != kNone) put(one, hash_of(one));
      }
    }
    put(place, hash_of(place));
    ++used_;
  }
  // Leaves no tombstone: later places move up, so that a search from where it starts finds them. Requires:
  // the place is in the index.
  template <class HashOf>
  void erase(Place place, const HashOf& hash_of) {
    size_t i = start(hash_of(place));
    while (places_[i] != place) i = next(i);
    const size_t mask = places_.size() - 1;
    size_t hole = i;
    for (i = next(i); places_[i] != kNone; i = next(i)) {
      const size_t searched = (i - start(hash_of(places_[i]))) & mask;
      if (searched < ((i - hole) & mask)) continue;
      places_[hole] = places_[i];
      hole = i;
    }
    places_[hole] = kNone;
    --used_;
  }
  size_t memory_bytes() const { return places_.capacity() * sizeof(Place); }

 private:
  static constexpr size_t kSizeMin = 64;
  size_t start(const Hash128& hash) const { return hash.low & (places_.size() - 1); }
  size_t next(size_t i) const { return (i + 1) & (places_.size() - 1); }
  void put(Place place, const Hash128& hash) {
    size_t i = start(hash);
    while (places_[i] != kNone) i = next(i);
    places_[i] = place;
  }

  std::vector<Place> places_;
  size_t used_ = 0;
};

}  // namespace statmill
