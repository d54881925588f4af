#include "agent/relay/sample_sum.h"

#include <algorithm>
#include <array>

namespace statmill {
namespace {

constexpr std::array<int64_t, Number::kScaleMax + 1> kPowersOfTen = [] {
  std::array<int64_t, Number::kScaleMax + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

bool fits(int64_t mantissa) { return -Number::kMantissaMax <= mantissa && mantissa <= Number::kMantissaMax; }

// Returns false if a line's number cannot express the product.
bool multiply(int64_t a, int64_t b, int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product) && fits(product);
}

bool multiply(int64_t a, int64_t b, uint64_t weight, int64_t& product) {
  return weight <= static_cast<uint64_t>(Number::kMantissaMax) && multiply(a, b, product) &&
         multiply(product, static_cast<int64_t>(weight), product);
}

}  // namespace

bool SampleSum::can_hold(Kind kind, const Number& value, uint64_t weight) {
  if (!value.is_decimal()) return false;
  if (adds_up(kind)) return weight == 1;
  int64_t product = 0;
  return value.scale <= kScaleMax && multiply(value.mantissa, 1, weight, product) &&
         multiply(value.mantissa, value.mantissa, weight, product);
}

SampleSum::SampleSum(Kind kind, const Number& value, uint64_t weight)
    : count_(weight), min_(value.mantissa), max_(value.mantissa), scale_(value.scale) {
  const auto n = static_cast<int64_t>(weight);
  sum_ = value.mantissa * n;
  if (!adds_up(kind)) squares_ = value.mantissa * value.mantissa * n;
}

bool SampleSum::add(Kind kind, const Number& value, uint64_t weight) {
  SampleSum added(kind, value, weight);
  SampleSum both = *this;
  const int8_t scale = std::max(both.scale_, added.scale_);
  if (!both.rescale(kind, scale) || !added.rescale(kind, scale)) return false;
  both.count_ += added.count_;
  both.sum_ += added.sum_;
  both.squares_ += added.squares_;
  both.min_ = std::min(both.min_, added.min_);
  both.max_ = std::max(both.max_, added.max_);
  if (!fits(both.sum_) || !fits(both.squares_)) return false;
  *this = both;
  return true;
}

ReadyBucket SampleSum::rest() const {
  return {.count = count_,
          .sum_of_squares = Number::decimal(squares_, static_cast<int8_t>(2 * scale_)),
          .min = Number::decimal(min_, scale_),
          .max = Number::decimal(max_, scale_)};
}

// Increases the number of decimals. Returns false if a number would no longer fit.
bool SampleSum::rescale(Kind kind, int8_t scale) {
  if (scale == scale_) return true;
  const int64_t factor = kPowersOfTen[static_cast<size_t>(scale - scale_)];
  scale_ = scale;
  if (!multiply(sum_, factor, sum_)) return false;
  if (adds_up(kind)) return true;
  return multiply(squares_, factor, squares_) && multiply(squares_, factor, squares_) &&
         multiply(min_, factor, min_) && multiply(max_, factor, max_);
}

}  // namespace statmill
