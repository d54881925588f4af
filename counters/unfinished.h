// How much of what a histogram's buckets hold may not be in its sum yet, where a reading has met a record
// halfway.
//
// A record adds to its bucket, then to the sum, then to the cell that counts the finished records of its
// group (a power of two, h2.h). A reading that takes these cells of all CPUs in the opposite order - finished
// records, sum, buckets - has in its sum all values of finished records, and in its buckets all values that
// the sum has. So what the sum lacks is of records that are in the buckets and were not finished, and each is
// below its group's end.
#pragma once

#include <cstdint>
#include <span>

#include "statmill/h2.h"

namespace statmill {

// The groups of a histogram of so many buckets, each with a cell for its finished records.
constexpr size_t group_count(unsigned grouping_power, size_t bucket_count) {
  return bucket_count >> grouping_power;
}

// The most that the sum may lack; at most 2^64 - 1. 0: the buckets and the sum are of the same records.
// Requires: `finished` has group_count() cells, read before the sum, and `buckets` were read after it.
uint64_t sum_missing_max(unsigned grouping_power, std::span<const uint64_t> buckets,
                         std::span<const uint64_t> finished);

}  // namespace statmill
