// LiteralFinder: finds all occurrences of a short text in a long one, testing 64 positions per step.
//
// It compares two bytes of the literal at 64 positions, and the other bytes only where both are equal.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes16.h"

namespace statmill {

// Immutable; thread-safe. Takes 0.1 to 0.2 ns per byte of text and 10 to 15 ns per occurrence.
class LiteralFinder {
 public:
  // Requires: `literal` is not empty.
  explicit LiteralFinder(std::string literal);

  // Calls `hit(position)` for each occurrence, in ascending order and including overlapping ones, until it
  // returns false.
  template <class Hit>
  void for_each(std::string_view text, Hit hit) const;

 private:
  static constexpr size_t kLane = 16;
  static constexpr size_t kStep = 64;
  // CPUs do not prefetch across 4 KiB pages by themselves. Prefetching one page ahead reduces a search
  // through 1 M names (36 MB) from 6 to 2.5 ms.
  static constexpr size_t kPrefetch = 4096;
  bool is_at(const char* place) const { return std::memcmp(place, literal_.data(), literal_.size()) == 0; }

  const std::string literal_;
  size_t first_ = 0;  // indexes of the two bytes that are compared first; equal if the literal has one byte
  size_t second_ = 0;
};

template <class Hit>
void LiteralFinder::for_each(std::string_view text, Hit hit) const {
  if (text.size() < literal_.size()) return;
  const size_t places = text.size() - literal_.size() + 1;
  const Bytes16 first = sixteen(literal_[first_]);
  const Bytes16 second = sixteen(literal_[second_]);
  const bool needs_look = literal_.size() > 2;
  const char* const base = text.data();
  size_t at = 0;
  for (; at + kStep <= places; at += kStep) {
    __builtin_prefetch(base + at + kPrefetch);
    uint64_t mask = 0;  // bit i is set if both bytes match at position at + i
    for (size_t lane = 0; lane < kStep; lane += kLane) {
      const char* const from = base + at + lane;
      mask |= bits_of((bytes16_at(from + first_) == first) & (bytes16_at(from + second_) == second)) << lane;
    }
    for (; mask != 0; mask &= mask - 1) {
      const size_t place = at + static_cast<size_t>(std::countr_zero(mask));
      if ((needs_look && !is_at(base + place)) || hit(place)) continue;
      return;
    }
  }
  for (; at < places; ++at) {
    if (is_at(base + at) && !hit(at)) return;
  }
}

}  // namespace statmill
