// Most rates are 1 / integer. Then decimals stay decimals, so buckets stay exact.
#include "proto/statsd/sampling_rate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/quotient.h"
#include "proto/line_text.h"

namespace statmill {
namespace {

Verdict<Refusal> set_nearest(double value, Number& number) {
  if (!std::isfinite(value)) return Refusal::kOutOfRange;
  number = Number::shortest(value);
  return kAccepted;
}

// Sets `number` to a * b / 10^scale. Returns false if a Number cannot hold it
// exactly. Cheaper than Number::decimal().
bool set_product(int64_t a, int64_t b, int scale, Number& number) {
  int64_t mantissa = 0;
  if (__builtin_mul_overflow(a, b, &mantissa) || scale > Number::kScaleMax) return false;
  if (mantissa < -Number::kMantissaMax || Number::kMantissaMax < mantissa) return false;
  if (mantissa == 0) scale = 0;
  for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
  number.mantissa = mantissa;
  number.scale = static_cast<int8_t>(scale);
  return true;
}

// A table of the rates that most clients send: parsing the number and dividing took as long as all the rest
// of a line. A hash of the text is its place in the table.
struct CommonRate {
  uint64_t text = 0;  // as a word, the first byte lowest; 0: free place
  int32_t mantissa = 0;
  int8_t scale = 0;
  int16_t weight = 0;
};
constexpr size_t place_of(uint64_t text) { return text * 0x9e3779b97f4a7c15 >> 59; }

constexpr std::array<CommonRate, 32> kCommonRates = [] {
  std::array<CommonRate, 32> rates{};
  const auto add = [&rates](std::string_view text, const CommonRate& rate) {
    uint64_t word = 0;
    for (size_t i = 0; i < text.size(); ++i) word |= uint64_t{static_cast<uint8_t>(text[i])} << 8 * i;
    rates[place_of(word)] = rate;
    rates[place_of(word)].text = word;
  };
  add("1", {.mantissa = 1, .scale = 0, .weight = 1});
  add("0.5", {.mantissa = 5, .scale = 1, .weight = 2});
  add("0.25", {.mantissa = 25, .scale = 2, .weight = 4});
  add("0.2", {.mantissa = 2, .scale = 1, .weight = 5});
  add("0.1", {.mantissa = 1, .scale = 1, .weight = 10});
  add("0.05", {.mantissa = 5, .scale = 2, .weight = 20});
  add("0.01", {.mantissa = 1, .scale = 2, .weight = 100});
  add("0.001", {.mantissa = 1, .scale = 3, .weight = 1000});
  return rates;
}();
static_assert(std::ranges::count(kCommonRates, 0U, &CommonRate::text) == 32 - 8, "two in one place");

// Returns a / b. Most operands fit in 32 bits; a 64-bit division takes three times as long.
int64_t quotient(int64_t a, int64_t b) {
  if (((a | b) >> 32) != 0) return a / b;
  return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
}

}  // namespace

bool SamplingRate::read(const char* readable, std::string_view text) {
  // Shorter texts are padded with zero bytes, and no rate ends with one.
  if (!text.empty() && text.size() <= 8 && text.back() != '\0') {
    const char* const end = text.data() + text.size();
    const uint64_t word = word_at(readable, text.data(), end);
    const CommonRate& common = kCommonRates[place_of(word)];
    if (common.text == word) {
      rate_.mantissa = common.mantissa;
      rate_.scale = common.scale;
      weight_ = common.weight;
      is_whole_ = true;
      return true;
    }
  }
  Number rate;
  return parse_number(text, rate).is_accepted() && set(rate);
}

bool SamplingRate::set(Number rate) {
  if (rate.mantissa <= 0) return false;  // also right for the bits of a double
  rate_.mantissa = rate.mantissa;
  rate_.scale = rate.scale;
  if (rate.is_decimal()) {
    const int64_t one = power_of_ten(rate.scale);
    weight_ = quotient(one, rate.mantissa);
    is_whole_ = weight_ * rate.mantissa == one;
    if (is_whole_) return weight_ <= kWeightMax;
  }
  const double value = rate.value();
  weight_ = std::llround(1 / value);
  is_whole_ = false;
  return value <= 1 && value >= 1 / static_cast<double>(kWeightMax);
}

Verdict<Refusal> SamplingRate::scale_amount(Number& amount) const {
  const bool is_decimal = amount.is_decimal();
  if (is_decimal && is_whole_ && set_product(amount.mantissa, weight_, amount.scale, amount)) {
    return kAccepted;
  }
  int64_t product = amount.mantissa;
  bool fits = is_decimal && rate_.is_decimal();
  for (int i = 0; fits && i < rate_.scale; ++i) fits = !__builtin_mul_overflow(product, 10, &product);
  if (fits && product % rate_.mantissa == 0 &&
      set_product(product / rate_.mantissa, 1, amount.scale, amount)) {
    return kAccepted;
  }
  return set_nearest(amount.value() / rate_.value(), amount);
}

Verdict<Refusal> SamplingRate::repeat(Sample& sample, Batch& batch) const {
  if (weight_ == 1) return kAccepted;
  const Number value{sample.value.mantissa, sample.value.scale};
  ReadyBucket& ready = batch.new_ready_bucket();
  sample.ready = &ready;
  ready.count = static_cast<uint64_t>(weight_);
  ready.min = ready.max = value;
  if (!value.is_decimal() || !set_product(value.mantissa, weight_, value.scale, sample.value)) {
    if (const auto verdict = set_nearest(value.value() * static_cast<double>(weight_), sample.value);
        verdict.is_refused())
      return verdict;
  }
  int64_t square = 0;
  const bool fits = value.is_decimal() && !__builtin_mul_overflow(value.mantissa, value.mantissa, &square) &&
                    square <= Number::kMantissaMax;
  if (fits && set_product(square, weight_, 2 * value.scale, ready.sum_of_squares)) return kAccepted;
  return set_nearest(value.value() * value.value() * static_cast<double>(weight_), ready.sum_of_squares);
}

}  // namespace statmill
