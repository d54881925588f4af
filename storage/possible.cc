// See possible.h.
#include "storage/possible.h"

#include <bit>
#include <cmath>

namespace statmill {
namespace {

Int128 square(int64_t v) { return Int128{v} * v; }

bool same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

}  // namespace

bool is_possible(uint64_t count, const Bucket::Decimal& d) {
  if (count == 0 || count > Bucket::kCountMax) return false;
  if (d.scale < 0 || d.scale > Bucket::kScaleMax || d.min > d.max || d.sum_of_squares < 0) return false;
  // 48 bits times 64 cannot overflow; n Q may, and is then above any S^2.
  const auto n = static_cast<Int128>(count);
  if (d.sum < n * d.min || d.sum > n * d.max) return false;
  Int128 nq = 0;
  return __builtin_mul_overflow(n, d.sum_of_squares, &nq) || nq >= square(d.sum);
}

bool is_possible(uint64_t count, const Bucket::Real& r) {
  if (count == 0 || count > Bucket::kCountMax) return false;
  return std::isfinite(r.sum) && std::isfinite(r.m2) && std::isfinite(r.min) && std::isfinite(r.max) &&
         r.m2 >= 0 && r.min <= r.max;
}

bool is_single(uint64_t count, const Bucket::Decimal& d) {
  return count == 1 && d.min == d.sum && d.max == d.sum && d.sum_of_squares == square(d.sum);
}

bool is_single(uint64_t count, const Bucket::Real& r) {
  return count == 1 && r.m2 == 0 && same_bits(r.min, r.sum) && same_bits(r.max, r.sum);
}

Bucket::Decimal single_decimal(int64_t value, int8_t scale) {
  return {value, square(value), value, value, scale};
}

Bucket::Real single_real(double value) { return {value, 0, value, value}; }

}  // namespace statmill
