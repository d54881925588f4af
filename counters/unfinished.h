// Bounds how much a histogram's sum may lack of the values in its buckets, if a reading met records in
// progress.
//
// A record increments its bucket, then adds to the sum, then increments the number of finished records of its
// group (a power of two, h2.h). A reading reads these cells of all CPUs in reverse order: finished records,
// sum, buckets. So its sum includes the values of all finished records, and its buckets include all values in
// the sum. The sum can lack only values of records that are in the buckets and were not finished; each is at
// most the upper bound of its group.
#pragma once

#include <cstdint>
#include <span>

#include "statmill/h2.h"

namespace statmill {

// The number of groups of a histogram, each of which has a cell for its finished records.
constexpr size_t group_count(unsigned grouping_power, size_t bucket_count) {
  return bucket_count >> grouping_power;
}

// Returns the most that the sum may lack, capped at 2^64 - 1; 0 if the buckets and the sum include the same
// records. Requires: `finished` has group_count() cells that were read before the sum, and `buckets` were
// read after it.
uint64_t sum_missing_max(unsigned grouping_power, std::span<const uint64_t> buckets,
                         std::span<const uint64_t> finished);

}  // namespace statmill
