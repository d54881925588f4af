// Spread: the sum of squares of a bucket, encoded as what count, sum, min and max leave open.
//
// Consider n integers with known min, max and sum. The sum of squares of the n - 2 inner ones is at least
// that of numbers as equal as possible, at most that of numbers at the ends, and has the parity of their sum
// (x and x^2 are odd together). It remains to encode a number in 0 .. room, which is log2(n) + 1 bits shorter
// than the integer n Q - S^2 from which M2 follows. The numbers of a bucket made by a sender were rounded, so
// only the bounds for real numbers apply (Cauchy-Schwarz; Bhatia and Davis, 2000).
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

// The smallest count that leaves something open.
constexpr uint64_t spread_count_min(SpreadRule rule) { return rule == SpreadRule::kIntegers ? 4 : 3; }

// Bounds that follow from count, sum, min and max.
struct SpreadBounds {
  Uint128 least = 0;  // of the unknown squares, with values relative to min
  Uint128 room = 0;   // the largest spread
};

// Returns nullopt if the numbers are too large for the arithmetic (count * range^2 over 2^120), or if no
// samples under this rule have them. Requires: count > 2.
std::optional<SpreadBounds> spread_bounds(SpreadRule rule, uint64_t count, int64_t sum, int64_t min,
                                          int64_t max);

// Returns the spread of this sum of squares, in 0 .. room; nullopt if no samples under this rule have it.
std::optional<Uint128> spread_of(SpreadRule rule, const SpreadBounds& bounds, uint64_t count,
                                 const Bucket::Decimal& d);

// Returns the sum of squares of a spread. Requires: spread <= bounds.room.
Int128 squares_of(SpreadRule rule, const SpreadBounds& bounds, Uint128 spread, uint64_t count, int64_t sum,
                  int64_t min, int64_t max);

}  // namespace statmill
