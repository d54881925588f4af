// HeavyHitters: finds the keys with the greatest total weight in an endless stream, in bounded memory.
//
// The algorithm is that of Misra and Gries (1982) with weights: when all counters are in use, the median of
// the counts is subtracted from each, and counters that reach zero become free. So each key that weighs more
// than missed() has a counter, and its count is too low by at most missed() <= 2 * total() / limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/text_map.h"

namespace statmill {

// Not thread-safe.
class HeavyHitters {
 public:
  struct Hitter {
    std::string key;
    uint64_t count = 0;
  };

  // Keeps at most `limit` keys. Requires: limit >= 2.
  explicit HeavyHitters(size_t limit);

  // Cost: one lookup in a hash table, amortized even when the table is full.
  void add(std::string_view key, uint64_t weight = 1);

  // Returns at most `most` keys, the heaviest first; keys of equal weight are ordered by name.
  std::vector<Hitter> top(size_t most) const;
  uint64_t total() const { return total_; }    // the sum of all weights, exact
  uint64_t missed() const { return missed_; }  // the most by which a count may be too low
  size_t size() const { return counts_.size(); }

 private:
  void make_room();

  const size_t limit_;
  TextMap<uint64_t> counts_;  // all counts are > 0
  uint64_t total_ = 0;
  uint64_t missed_ = 0;
};

}  // namespace statmill
