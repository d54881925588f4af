// Possible buckets: whether any samples could have added up to these numbers.
//
// What decoders ask before they make a Bucket of bytes from disk; what Bucket itself makes always passes.
#pragma once

#include <cstdint>

#include "storage/bucket.h"

namespace statmill {

bool is_possible(uint64_t count, const Bucket::Decimal& numbers);
bool is_possible(uint64_t count, const Bucket::Real& numbers);

// Whether the numbers are those of one observation: all of them follow from the sum.
bool is_single(uint64_t count, const Bucket::Decimal& numbers);
bool is_single(uint64_t count, const Bucket::Real& numbers);

// The numbers of one observation.
inline Bucket::Decimal single_decimal(int64_t value, int8_t scale) {
  return {value, Int128{value} * value, value, value, scale};
}
inline Bucket::Real single_real(double value) { return {value, 0, value, value}; }

}  // namespace statmill
