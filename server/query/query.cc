#include "server/query/query.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/quotient.h"
#include "base/text.h"
#include "proto/number.h"
#include "server/query/encode/decimal_text.h"

namespace statmill {
namespace {
constexpr std::array<std::string_view, 7> kStatNames = {"count", "sum", "avg", "stddev",
                                                        "min",   "max", "rate"};
}  // namespace

std::optional<Stat> parse_stat(std::string_view text) {
  for (size_t i = 0; i < kStatNames.size(); ++i) {
    if (kStatNames[i] == text) return static_cast<Stat>(i);
  }
  return std::nullopt;
}

std::optional<Percentile> Percentile::parse(std::string_view text) {
  Number percent;
  if (!text.starts_with('p') || parse_number(text.substr(1), percent).is_refused()) return std::nullopt;
  const bool is_plain = text.find_first_not_of("0123456789.", 1) == std::string_view::npos;
  if (!is_plain || percent.value() > 100) return std::nullopt;
  return Percentile{std::string(text), percent.value() / 100};
}

std::string_view stat_name(Stat stat) { return kStatNames[static_cast<size_t>(stat)]; }

Parts parts_of(Stat stat) {
  const bool is_deviation = stat == Stat::kStddev;
  return {.extremes = is_deviation || stat == Stat::kMin || stat == Stat::kMax, .squares = is_deviation};
}

double percentile_error(uint8_t joined_power) {
  const double own = std::ldexp(1.0, -kHistogramGroupingPower - 1);
  return joined_power == 0 ? own : own + std::ldexp(own, joined_power);
}

double AnswerNumber::value() const {
  if (scale_ == kNotDecimal) return std::bit_cast<double>(integer_);
  return nearest_quotient(integer_, static_cast<Uint128>(power_of_ten(scale_)));
}

void AnswerNumber::append_to(std::string& out) const {
  if (scale_ == kNotDecimal) return append_number(out, std::bit_cast<double>(integer_));
  std::array<char, kDecimalTextMax> text;
  out.append(text.data(), put_decimal(text.data(), integer_, scale_));
}

namespace {

// Returns the quotient as a decimal if it is one of at most 15 digits. The text is that of the nearest double
// then, but costs a fifth.
std::optional<AnswerNumber> short_quotient(int64_t integer, int scale, int64_t divisor) {
  constexpr int64_t kIntegerEnd = 1'000'000'000'000'000;
  const int twos = std::countr_zero(static_cast<uint64_t>(divisor));
  int64_t others = divisor >> twos;
  int fives = 0;
  for (; others % 5 == 0; others /= 5) ++fives;
  const int digits = std::max(twos, fives);
  if (scale + digits > Bucket::kScaleMax || integer % others != 0) return std::nullopt;
  const int64_t factor = power_of_ten(digits) / (divisor / others);
  int64_t out = 0;
  if (__builtin_mul_overflow(integer / others, factor, &out)) return std::nullopt;
  if (out <= -kIntegerEnd || out >= kIntegerEnd) return std::nullopt;
  return AnswerNumber::decimal(out, scale + digits);
}

AnswerNumber sum_over(const Bucket& bucket, int64_t divisor) {
  if (!bucket.is_decimal()) return AnswerNumber::real(bucket.sum_over(divisor));
  const int64_t sum = bucket.decimal().sum;
  if (divisor == 1) return AnswerNumber::decimal(sum, bucket.scale());
  const auto decimal = short_quotient(sum, bucket.scale(), divisor);
  return decimal ? *decimal : AnswerNumber::real(bucket.sum_over(divisor));
}

AnswerNumber sum_times(const Bucket& bucket, int64_t factor) {
  if (bucket.is_decimal()) {
    const DecimalFactor by = cancel_tens(factor, bucket.scale());
    int64_t product = 0;
    if (!__builtin_mul_overflow(bucket.decimal().sum, by.integer, &product))
      return AnswerNumber::decimal(product, by.scale);
  }
  return AnswerNumber::real(bucket.sum_times(factor));
}

}  // namespace

DecimalFactor cancel_tens(int64_t factor, int8_t scale) {
  for (; scale > 0 && factor % 10 == 0; factor /= 10) --scale;
  return {factor, scale};
}

double rate_over(const Bucket& rates, int64_t slot_ms, int64_t length_ms) {
  if (rates.is_decimal()) {
    const auto unit = static_cast<Uint128>(power_of_ten(rates.scale()));
    return nearest_quotient(Int128{rates.decimal().sum} * slot_ms, unit * static_cast<Uint128>(length_ms));
  }
  const double product = rates.sum() * static_cast<double>(slot_ms);
  if (std::isfinite(product)) return product / static_cast<double>(length_ms);
  constexpr int kMantissaBits = 53;
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(rates.sum(), &exponent), kMantissaBits);
  const Int128 exact = Int128{static_cast<int64_t>(mantissa)} * slot_ms;
  return std::ldexp(nearest_quotient(exact, static_cast<Uint128>(length_ms)), exponent - kMantissaBits);
}

std::optional<AnswerNumber> stat_number(Stat stat, const Bucket& bucket, Kind kind, int64_t length_s,
                                        int64_t event_slot_s) {
  if (bucket.is_empty()) return std::nullopt;
  const auto count = static_cast<int64_t>(bucket.count());
  switch (stat) {
    case Stat::kCount:
      return AnswerNumber::decimal(count, 0);
    case Stat::kSum:
      return sum_times(bucket, adds_up(kind) ? event_slot_s : 1);
    case Stat::kAvg:
      return sum_over(bucket, count);
    case Stat::kStddev:
      return AnswerNumber::real(bucket.stddev());
    case Stat::kMin:
      if (!bucket.is_decimal()) return AnswerNumber::real(bucket.min());
      return AnswerNumber::decimal(bucket.decimal().min, bucket.scale());
    case Stat::kMax:
      if (!bucket.is_decimal()) return AnswerNumber::real(bucket.max());
      return AnswerNumber::decimal(bucket.decimal().max, bucket.scale());
    // The first and the last bucket of an event series may cover only part of the step, so its mean is used.
    case Stat::kRate:
      if (kind == Kind::kCounter)
        return AnswerNumber::real(rate_over(bucket, event_slot_s * 1000, length_s * 1000));
      return sum_over(bucket, kind == Kind::kEvent ? count : length_s);
  }
  return std::nullopt;
}

std::optional<AnswerNumber> stat_at(Stat stat, const QueryAnswer& answer, const SeriesAnswer& series,
                                    size_t point) {
  const int64_t slot_ms = answer.event_slot_s * 1000;
  Bucket bucket = series.points.bucket_at(point);
  int64_t missing_ms = 0;
  const bool is_open = series.open && series.open->point == point;
  if (is_open) {
    const bool is_extreme = stat == Stat::kMin || stat == Stat::kMax || stat == Stat::kStddev;
    bucket.merge(is_extreme ? series.open->rate_so_far : series.open->rate);
    missing_ms = series.open->missing_ms;
  }
  const int64_t slots_ms = static_cast<int64_t>(bucket.count()) * slot_ms - missing_ms;
  if (stat == Stat::kRate && series.kind == Kind::kCounter && !bucket.is_empty())
    return AnswerNumber::real(rate_over(bucket, slot_ms, answer.passed_ms(point, slots_ms)));
  // The mean rate of slots that are complete but for the open one.
  if (is_open && (stat == Stat::kAvg || stat == Stat::kRate))
    return AnswerNumber::real(rate_over(bucket, slot_ms, slots_ms));
  return stat_number(stat, bucket, series.kind, answer.bins.length_s(point), answer.event_slot_s);
}

}  // namespace statmill
