// HeavyHitters: the keys that weigh most in an endless stream of keys, in bounded memory.
//
// Misra and Gries (1982), with weights: when all counters are taken, the median of the counts is taken off
// every one, and those that have nothing left make room. So a key that weighs more than `missed()` is there,
// and its count is short of the truth by at most that much. missed() <= 2 * total() / limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

namespace statmill {

// Thread-compatible.
class HeavyHitters {
 public:
  struct Hitter {
    std::string key;
    uint64_t count = 0;
  };

  // At most `limit` keys are held, at least 2.
  explicit HeavyHitters(size_t limit);

  // Cost: one look into a hash table; amortised also when the table is full.
  void add(std::string_view key, uint64_t weight = 1);

  // The heaviest first, by name where they weigh the same; at most `most`.
  std::vector<Hitter> top(size_t most) const;
  uint64_t total() const { return total_; }    // of all weights, exact
  uint64_t missed() const { return missed_; }  // how much any count may be short
  size_t size() const { return counts_.size(); }

 private:
  void make_room();

  const size_t limit_;
  std::unordered_map<std::string, uint64_t, NameHash, std::equal_to<>> counts_;  // each over 0
  uint64_t total_ = 0;
  uint64_t missed_ = 0;
};

}  // namespace statmill
