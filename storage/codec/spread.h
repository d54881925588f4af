// Spread: the sum of squares of a bucket as what count, sum, min and max leave open.
//
// Of n integers with known min, max and sum, the n - 2 inner ones have a sum of squares between that of
// numbers as equal as can be and that of numbers at the ends, and of the same parity as their sum (x and x^2
// are odd together). What is left to tell is a number of 0 .. room, log2(n) + 1 bits shorter than the integer
// n Q - S^2 behind M2. A bucket that a sender made ready was rounded: it keeps to the bounds of real numbers
// only (Cauchy-Schwarz; Bhatia and Davis, 2000).
#pragma once

#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "storage/bucket.h"

namespace statmill {

// Stored on disk: never renumber.
enum class SpreadRule : uint8_t {
  kIntegers = 0,  // count samples that are integers at the bucket's scale; 3 samples leave nothing open
  kRounded = 1,   // any possible bucket
};

// The least count that leaves something open.
constexpr uint64_t spread_count_min(SpreadRule rule) { return rule == SpreadRule::kIntegers ? 4 : 3; }

// What follows from count, sum, min and max.
struct SpreadBounds {
  Uint128 least = 0;  // of the squares that are not known, counted from min
  Uint128 room = 0;   // what is left to tell is at most this
};

// None when the numbers are too large for the arithmetic (count * range^2 over 2^120), or the rule's samples
// could not have them. Requires: count > 2.
std::optional<SpreadBounds> spread_bounds(SpreadRule rule, uint64_t count, int64_t sum, int64_t min,
                                          int64_t max);

// What is left to tell of this sum of squares, 0 .. room; none when the rule's samples could not have made
// it.
std::optional<Uint128> spread_of(SpreadRule rule, const SpreadBounds& bounds, uint64_t count,
                                 const Bucket::Decimal& d);

// The sum of squares again. Requires: spread <= bounds.room.
Int128 squares_of(SpreadRule rule, const SpreadBounds& bounds, Uint128 spread, uint64_t count, int64_t sum,
                  int64_t min, int64_t max);

}  // namespace statmill
