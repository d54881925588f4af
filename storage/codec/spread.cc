// All numbers are relative to min, so that they are small and not negative: with x' = x - min,
// S' = S - n min and Q' = Q - 2 min S + n min^2, exact modulo 2^128.
#include "storage/codec/spread.h"

#include "storage/codec/bits.h"

namespace statmill {
namespace {

constexpr int kBitsMax = 120;  // of n R^2, the maximum of the squares

Uint128 wide(int64_t v) { return static_cast<Uint128>(Int128{v}); }

// Divides in one word if possible, which is nearly always, and four times faster.
Uint128 divide(Uint128 a, uint64_t b) {
  if (a >> 64 == 0) return static_cast<uint64_t>(a) / b;
  return a / b;
}

// Returns the least sum of squares of `count` integers that add up to `sum`: they are as equal as possible.
Uint128 least_squares(Uint128 sum, uint64_t count) {
  const Uint128 q = divide(sum, count);
  const Uint128 ones = sum - q * count;
  return q * q * count + ones * (2 * q + 1);
}

// sum^2 / count, rounded up.
Uint128 mean_squares(Uint128 sum, uint64_t count) {
  const Uint128 q = divide(sum, count);
  const Uint128 r = sum - q * count;
  return q * sum + q * r + divide(r * r + count - 1, count);
}

// The part of the squares that is known and not in `bounds.least`: the squares of the known samples, and what
// the change to numbers relative to min has subtracted.
Uint128 known_squares(SpreadRule rule, uint64_t count, int64_t sum, int64_t min, int64_t max) {
  const Uint128 range = wide(max) - wide(min);
  const Uint128 shift = 2 * wide(min) * wide(sum) - wide(min) * wide(min) * count;
  return rule == SpreadRule::kIntegers ? shift + range * range : shift;
}

}  // namespace

std::optional<SpreadBounds> spread_bounds(SpreadRule rule, uint64_t count, int64_t sum, int64_t min,
                                          int64_t max) {
  const uint64_t range = static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
  if (width_of(count) + 2 * width_of(range) > kBitsMax) return std::nullopt;
  const Uint128 total = wide(sum) - wide(min) * count;
  if (rule == SpreadRule::kRounded) {
    if (total > Uint128{range} * count) return std::nullopt;
    const Uint128 least = mean_squares(total, count);
    const Uint128 most = total * range;
    return SpreadBounds{least, most > least ? most - least : 0};
  }
  if (total < range || total > Uint128{range} * (count - 1)) return std::nullopt;
  const Uint128 inner = total - range;
  const Uint128 least = least_squares(inner, count - 2);
  return SpreadBounds{least, (inner * range - least) / 2};
}

std::optional<Uint128> spread_of(SpreadRule rule, const SpreadBounds& bounds, uint64_t count,
                                 const Bucket::Decimal& d) {
  const Uint128 squares =
      static_cast<Uint128>(d.sum_of_squares) - known_squares(rule, count, d.sum, d.min, d.max);
  const Uint128 excess = squares - bounds.least;  // wraps to far more than any room when it is below
  const Uint128 unit = rule == SpreadRule::kIntegers ? 2 : 1;
  if (excess % unit != 0 || excess / unit > bounds.room) return std::nullopt;
  return excess / unit;
}

Int128 squares_of(SpreadRule rule, const SpreadBounds& bounds, Uint128 spread, uint64_t count, int64_t sum,
                  int64_t min, int64_t max) {
  const Uint128 unit = rule == SpreadRule::kIntegers ? 2 : 1;
  return static_cast<Int128>(bounds.least + unit * spread + known_squares(rule, count, sum, min, max));
}

}  // namespace statmill
