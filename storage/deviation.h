// nearest_deviation(): the standard deviation of decimals from their exact sums, rounded once.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace statmill {

// Returns the double that is nearest to the sample standard deviation (n - 1) of `count` samples with
// this sum and sum of squares, in units of 10^-scale and 10^-2scale; 0 if no samples could have such
// sums. Requires: count >= 2, 0 <= scale <= kPowerOfTenMax. Cost: a square root of a long double; if that is
// too close to the middle between two doubles to tell, products of 384 bits.
double nearest_deviation(uint64_t count, int64_t sum, Int128 sum_of_squares, int scale);

}  // namespace statmill
