// See sampling_rate.h. Rates are mostly 1 / integer; then decimals stay decimals, so that buckets stay exact.
#include "proto/sampling_rate.h"

#include <cmath>

#include "base/int128.h"

namespace statmill {
namespace {

std::optional<Refusal> set_nearest(double value, Number& number) {
  if (!std::isfinite(value)) return Refusal::kOutOfRange;
  number = value == 0 ? Number{} : Number::of(value);
  return std::nullopt;
}

// mantissa / 10^scale, if a Number can say it exactly.
bool set_decimal(Int128 mantissa, int scale, Number& number) {
  const Int128 size = mantissa < 0 ? -mantissa : mantissa;
  if (size > Number::kMantissaMax || scale > Number::kScaleMax) return false;
  number = Number::decimal(static_cast<int64_t>(mantissa), static_cast<int8_t>(scale));
  return true;
}

}  // namespace

std::optional<SamplingRate> SamplingRate::read(std::string_view text) {
  // What clients mostly say; reading the number and dividing took a fifth of a line.
  if (text == "0.1") return SamplingRate({1, 1}, 10, true);
  if (text == "0.5") return SamplingRate({5, 1}, 2, true);
  if (text == "0.01") return SamplingRate({1, 2}, 100, true);
  Number rate;
  if (parse_number(text, rate) != NumberError::kNone || rate.value() > 1) return std::nullopt;
  if (rate.value() < 1 / static_cast<double>(kWeightMax)) return std::nullopt;
  int64_t weight = 1;
  for (int8_t i = 0; i < rate.scale; ++i) weight *= 10;
  if (rate.is_decimal() && weight % rate.mantissa == 0)
    return SamplingRate(rate, weight / rate.mantissa, true);
  return SamplingRate(rate, std::llround(1 / rate.value()), false);
}

std::optional<Refusal> SamplingRate::scale_amount(Number& amount) const {
  if (amount.is_decimal() && is_whole_ &&
      set_decimal(Int128{amount.mantissa} * weight_, amount.scale, amount)) {
    return std::nullopt;
  }
  int64_t product = amount.mantissa;
  bool fits = amount.is_decimal() && rate_.is_decimal();
  for (int i = 0; fits && i < rate_.scale; ++i) fits = !__builtin_mul_overflow(product, 10, &product);
  if (fits && product % rate_.mantissa == 0 && set_decimal(product / rate_.mantissa, amount.scale, amount)) {
    return std::nullopt;
  }
  return set_nearest(amount.value() / rate_.value(), amount);
}

std::optional<Refusal> SamplingRate::repeat(Sample& sample, Batch& batch) const {
  if (weight_ == 1) return std::nullopt;
  const Number value = sample.value;
  ReadyBucket& ready = batch.new_ready_bucket();
  sample.ready = &ready;
  ready.count = static_cast<uint64_t>(weight_);
  ready.min = ready.max = value;
  const Int128 sum = Int128{value.mantissa} * weight_;
  if (!value.is_decimal() || !set_decimal(sum, value.scale, sample.value)) {
    if (const auto refusal = set_nearest(value.value() * static_cast<double>(weight_), sample.value))
      return refusal;
  }
  Int128 squares = Int128{value.mantissa} * value.mantissa;  // up to 2^106
  const bool fits = value.is_decimal() && squares <= Number::kMantissaMax;
  if (fits && set_decimal(squares * weight_, 2 * value.scale, ready.sum_of_squares)) return std::nullopt;
  return set_nearest(value.value() * value.value() * static_cast<double>(weight_), ready.sum_of_squares);
}

}  // namespace statmill
