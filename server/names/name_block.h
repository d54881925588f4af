// NameBlock: some rows of a table that a search looks at together, and the set of those that are still in.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "server/names/name_table.h"

namespace statmill {

// Rows [first_row, first_row + count) of the table, which are rows [begin, begin + count) of the segment.
struct NameBlock {
  static constexpr uint32_t kRowsMax = 4096;
  const NameTable& table;
  const NameSegment& segment;
  uint32_t first_row = 0;
  uint32_t begin = 0;  // a multiple of 64
  uint32_t count = 0;

  uint32_t words() const { return (count + 63) / 64; }
};

// Bit i is for row i of a block.
using RowBits = std::array<uint64_t, NameBlock::kRowsMax / 64>;

inline bool has_rows(const RowBits& bits) {
  uint64_t any = 0;
  for (const uint64_t word : bits) any |= word;
  return any != 0;
}

inline size_t count_rows(const RowBits& bits) {
  size_t count = 0;
  for (const uint64_t word : bits) count += static_cast<size_t>(std::popcount(word));
  return count;
}

// Calls `visit(i)` for each set bit, in ascending order, until it returns false; returns false then.
template <class Visit>
bool for_each_row(const RowBits& bits, Visit visit) {
  for (uint32_t w = 0; w < bits.size(); ++w) {
    for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
      if (!visit(64 * w + static_cast<uint32_t>(std::countr_zero(left)))) return false;
    }
  }
  return true;
}

// Clears the bits of the rows for which `keeps(i)` returns false.
template <class Keeps>
void keep_rows(RowBits& bits, Keeps keeps) {
  for (uint32_t w = 0; w < bits.size(); ++w) {
    for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
      if (!keeps(64 * w + static_cast<uint32_t>(std::countr_zero(left)))) bits[w] &= ~(left & (~left + 1));
    }
  }
}

}  // namespace statmill
