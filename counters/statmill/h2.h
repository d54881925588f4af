// H2: histograms of whole numbers whose buckets are found by a shift.
//
// With grouping power g, values below 2^(g+1) have a bucket each; above, each power of two has 2^g buckets of
// one width. So a bucket is never wider than 2^-g of its lower bound, and a histogram of a smaller g is made
// exactly by joining neighbours. The layout is the one of the Rust crate `histogram` (1.x) and of our eBPF
// programs: all three fill the same buckets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace statmill::h2 {

// Requires for all below: 0 <= g < n <= 64, g <= 16; values under 2^n.

// Buckets of a histogram of values in [0, 2^n).
constexpr size_t bucket_count(unsigned g, unsigned n) { return size_t{n - g + 1} << g; }

// The bucket of a value: 0 .. bucket_count(g, 64) - 1. No branch, five instructions.
constexpr size_t index_of(unsigned g, uint64_t value) {
  const unsigned power = 63u - static_cast<unsigned>(std::countl_zero(value | (uint64_t{1} << g)));
  return (size_t{power - g} << g) + static_cast<size_t>(value >> (power - g));
}

// The least value of a bucket.
constexpr uint64_t lower_bound(unsigned g, size_t index) {
  const size_t group = index >> g;
  if (group < 2) return index;
  return (uint64_t{1} << (g + group - 1)) + ((index & ((size_t{1} << g) - 1)) << (group - 1));
}

// The greatest value of a bucket.
constexpr uint64_t upper_bound(unsigned g, size_t index) {
  const size_t group = index >> g;
  return lower_bound(g, index) + (group < 2 ? 0 : (uint64_t{1} << (group - 1)) - 1);
}

// The bucket of grouping power `to` that holds bucket `index` of `from`. Requires: to <= from.
constexpr size_t coarser(unsigned from, unsigned to, size_t index) {
  return index_of(to, lower_bound(from, index));
}

}  // namespace statmill::h2
