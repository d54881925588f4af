// PackedIntegers: an array of integers in few bytes: each as its distance from the least one, in 1, 2, 4 or 8
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace statmill {

// A value type.
class PackedIntegers {
 public:
  PackedIntegers() = default;
  explicit PackedIntegers(std::span<const int64_t> values);

  size_t bytes() const { return bytes_.size(); }
  // Returns whether each element times `factor` fits 64 bits. Requires: factor > 0.
  bool fits(int64_t factor) const;
  // Writes elements [first, first + count) to `out`. Cost: some 0.2 ns per element.
  void unpack(size_t first, size_t count, int64_t* out) const;

 private:
  int64_t least_ = 0;
  int64_t most_ = 0;
  uint8_t width_ = 1;           // bytes per element
  std::vector<uint8_t> bytes_;  // in the machine's byte order, so they are never stored
};

}  // namespace statmill
