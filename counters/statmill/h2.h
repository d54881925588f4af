// H2: the bucket layout of histograms of unsigned integers. A shift finds the bucket of a value.
//
// With grouping power g, each value below 2^(g+1) has a bucket of its own; above that, each power of two is
// divided into 2^g buckets of equal width. So no bucket is wider than 2^-g of its lower bound, and joining
// neighbors converts a histogram exactly to a smaller g. The Rust crate `histogram` (1.x) uses the same
// layout.
//
// All C++ of statmill uses these functions. The second copy, bpf/h2.h, is in C, since the kernel must verify
// it; tests/agent/collectors/h2_test.cc checks that both find the same buckets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace statmill::h2 {

// g is the grouping power, n the bits of a value. All functions below require: g < n <= 64, g <= 16, and
// values < 2^n.

// The number of buckets for values in [0, 2^n).
constexpr size_t bucket_count(unsigned g, unsigned n) { return size_t{n - g + 1} << g; }

// The bucket of a value, 0 .. bucket_count(g, 64) - 1. Five instructions, no branch.
constexpr size_t index_of(unsigned g, uint64_t value) {
  const unsigned power = 63u - static_cast<unsigned>(std::countl_zero(value | (uint64_t{1} << g)));
  return (size_t{power - g} << g) + static_cast<size_t>(value >> (power - g));
}

// The smallest value of a bucket.
constexpr uint64_t lower_bound(unsigned g, size_t index) {
  const size_t group = index >> g;
  if (group < 2) return index;
  return (uint64_t{1} << (g + group - 1)) + ((index & ((size_t{1} << g) - 1)) << (group - 1));
}

// The largest value of a bucket.
constexpr uint64_t upper_bound(unsigned g, size_t index) {
  const size_t group = index >> g;
  return lower_bound(g, index) + (group < 2 ? 0 : (uint64_t{1} << (group - 1)) - 1);
}

// The bucket of grouping power `to` that contains bucket `index` of grouping power `from`. Requires:
// to <= from.
constexpr size_t coarser(unsigned from, unsigned to, size_t index) {
  return index_of(to, lower_bound(from, index));
}

}  // namespace statmill::h2
