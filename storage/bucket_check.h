// Checks whether any samples could have added up to given numbers.
//
// Decoders call these before they make a Bucket of bytes from disk; numbers that Bucket computed always pass.
#pragma once

#include <cstdint>

#include "storage/bucket.h"

namespace statmill {

bool is_possible(uint64_t count, const Bucket::Decimal& numbers);
bool is_possible(uint64_t count, const Bucket::Real& numbers);

// Returns whether the numbers are those of one observation, so that all of them follow from the sum.
bool is_single(uint64_t count, const Bucket::Decimal& numbers);
bool is_single(uint64_t count, const Bucket::Real& numbers);

// The numbers of one observation.
inline Bucket::Decimal single_decimal(int64_t value, int8_t scale) {
  return {value, Int128{value} * value, value, value, scale};
}
inline Bucket::Real single_real(double value) { return {value, 0, value, value}; }

}  // namespace statmill
