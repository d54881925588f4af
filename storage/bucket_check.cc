#include "storage/bucket_check.h"

#include <bit>
#include <cmath>

namespace statmill {
namespace {

Int128 square(int64_t v) { return Int128{v} * v; }

bool same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

// All numbers of a pair follow from its two samples.
bool is_pair(const Bucket::Decimal& d) {
  Int128 squares = 0;
  return Int128{d.min} + d.max == d.sum && !__builtin_add_overflow(square(d.min), square(d.max), &squares) &&
         squares == d.sum_of_squares;
}

}  // namespace

bool is_possible(uint64_t count, const Bucket::Decimal& d) {
  if (count == 0 || count > Bucket::kCountMax) return false;
  if (d.scale < 0 || d.scale > Bucket::kScaleMax || d.min > d.max || d.sum_of_squares < 0) return false;
  if (count == 1) return is_single(count, d);
  if (count == 2) return is_pair(d);
  // 48 bits times 64 cannot overflow; n Q may, and then exceeds any S^2.
  const auto n = static_cast<Int128>(count);
  if (d.sum < n * d.min || d.sum > n * d.max) return false;
  if (d.sum_of_squares >> (63 + std::countl_zero(count)) != 0) return true;
  return n * d.sum_of_squares >= square(d.sum);
}

bool is_possible(uint64_t count, const Bucket::Real& r) {
  if (count == 0 || count > Bucket::kCountMax) return false;
  if (count == 1 && !is_single(count, r)) return false;
  return std::isfinite(r.sum) && std::isfinite(r.m2) && std::isfinite(r.min) && std::isfinite(r.max) &&
         r.m2 >= 0 && r.min <= r.max;
}

bool is_single(uint64_t count, const Bucket::Decimal& d) {
  return count == 1 && d.min == d.sum && d.max == d.sum && d.sum_of_squares == square(d.sum);
}

bool is_single(uint64_t count, const Bucket::Real& r) {
  return count == 1 && r.m2 == 0 && same_bits(r.min, r.sum) && same_bits(r.max, r.sum);
}

}  // namespace statmill
