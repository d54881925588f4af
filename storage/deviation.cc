#include "storage/deviation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>

#include "base/check.h"
#include "base/quotient.h"

namespace statmill {
namespace {

// An integer of 384 bits: enough for count^2 (96 bits), 10^2scale (120) and the square of a middle (108).
class WideInteger {
 public:
  explicit WideInteger(Uint128 value) {
    limbs_[kLimbs - 1] = static_cast<uint64_t>(value);
    limbs_[kLimbs - 2] = static_cast<uint64_t>(value >> 64);
  }

  WideInteger& multiply(uint64_t factor) {
    Uint128 carry = 0;
    for (size_t i = kLimbs; i-- > 0; carry >>= 64) {
      carry += Uint128{limbs_[i]} * factor;
      limbs_[i] = static_cast<uint64_t>(carry);
    }
    SM_CHECK(carry == 0);
    return *this;
  }
  WideInteger& shift_left(int bits) {
    for (; bits > 0; bits -= 63) multiply(uint64_t{1} << std::min(bits, 63));
    return *this;
  }
  // Requires: other <= *this.
  WideInteger& subtract(const WideInteger& other) {
    bool borrow = false;
    for (size_t i = kLimbs; i-- > 0;) {
      uint64_t less = 0;
      const bool first = __builtin_sub_overflow(limbs_[i], other.limbs_[i], &less);
      const bool second = __builtin_sub_overflow(less, uint64_t{borrow}, &limbs_[i]);
      borrow = first || second;
    }
    return *this;
  }
  // Rounded at most twice if the value is below 2^192.
  long double value() const {
    long double out = 0;
    for (const uint64_t limb : limbs_) out = out * 0x1p64L + static_cast<long double>(limb);
    return out;
  }
  friend auto operator<=>(const WideInteger&, const WideInteger&) = default;

 private:
  static constexpr size_t kLimbs = 6;

  std::array<uint64_t, kLimbs> limbs_{};  // the most significant first, as operator<=> compares them
};

// The deviation squared is n_m2 / (n (n - 1) 10^2scale).
struct Variance {
  WideInteger n_m2;
  uint64_t count = 0;
  int scale = 0;
};

// Compares the deviation with the middle between two doubles.
std::strong_ordering compare(const Variance& variance, long double middle) {
  constexpr int kMiddleBits = 54;  // one more than a double
  int exponent = 0;
  const auto integer = static_cast<uint64_t>(std::ldexp(std::frexp(middle, &exponent), kMiddleBits));
  exponent -= kMiddleBits;
  const auto unit = static_cast<uint64_t>(power_of_ten(variance.scale));
  WideInteger squared(Uint128{integer} * integer);
  squared.multiply(variance.count).multiply(variance.count - 1).multiply(unit).multiply(unit);
  squared.shift_left(std::max(0, 2 * exponent));
  WideInteger n_m2 = variance.n_m2;
  n_m2.shift_left(std::max(0, -2 * exponent));
  return n_m2 <=> squared;
}

}  // namespace

double nearest_deviation(uint64_t count, int64_t sum, Int128 sum_of_squares, int scale) {
  WideInteger n_squares(static_cast<Uint128>(std::max(Int128{0}, sum_of_squares)));
  n_squares.multiply(count);
  const WideInteger sum_squared(static_cast<Uint128>(Int128{sum} * sum));
  if (n_squares <= sum_squared) return 0;
  const Variance variance{n_squares.subtract(sum_squared), count, scale};

  const auto pairs = static_cast<long double>(Uint128{count} * (count - 1));
  const long double root =
      std::sqrt(variance.n_m2.value() / pairs) / static_cast<long double>(power_of_ten(scale));
  const auto near = static_cast<double>(root);
  // The roundings so far add up to at most 2^-62 of the root, so only a root that is closer than 2^-60 to the
  // middle between two doubles may have been rounded to the wrong one: one root of a hundred.
  const double other = std::nextafter(near, root < near ? 0.0 : std::numeric_limits<double>::infinity());
  const long double middle = (static_cast<long double>(near) + static_cast<long double>(other)) / 2;
  if (std::abs(root - middle) > root * 0x1p-60L) return near;
  const std::strong_ordering order = compare(variance, middle);
  if (std::is_lt(order)) return std::min(near, other);
  if (std::is_gt(order)) return std::max(near, other);
  return std::bit_cast<uint64_t>(near) % 2 == 0 ? near : other;
}

}  // namespace statmill
