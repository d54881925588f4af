// Integers are tried first; every step that could overflow is checked and falls back to doubles.
#include "storage/bucket.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/quotient.h"
#include "storage/bucket_check.h"
#include "storage/deviation.h"

namespace statmill {
namespace {

// integer / 10^scale as a double, rounded once.
double scaled(Int128 integer, int scale) {
  return nearest_quotient(integer, static_cast<Uint128>(power_of_ten(scale)));
}

double saturate(double v) {
  constexpr double kMax = std::numeric_limits<double>::max();
  return std::isnan(v) ? 0 : std::clamp(v, -kMax, kMax);
}

Int128 square(int64_t v) { return Int128{v} * v; }

// S^2 / n split as quotient and remainder, so that M2 comes out without a product that could overflow.
double m2_of(uint64_t count, int64_t sum, Int128 squares, int scale) {
  const Int128 s2 = square(sum);
  const auto n = static_cast<Int128>(count);
  Int128 nq = 0;
  double m2 = 0;
  if (!__builtin_mul_overflow(n, squares, &nq)) {
    m2 = static_cast<double>(nq - s2) / static_cast<double>(count);
  } else {
    const Int128 whole = squares - s2 / n;
    m2 = static_cast<double>(whole) - static_cast<double>(s2 % n) / static_cast<double>(count);
  }
  const auto unit = static_cast<double>(power_of_ten(scale));
  return std::max(0.0, m2 / unit / unit);
}

}  // namespace

Bucket Bucket::of_real(double value) { return from_real(1, {value, 0, value, value}); }

Bucket Bucket::from_real(uint64_t count, const Real& r) {
  Bucket b;
  b.count_ = count & kCountBits;
  b.sum_ = std::bit_cast<int64_t>(saturate(r.sum));
  b.squares_low_ = std::bit_cast<uint64_t>(std::max(0.0, saturate(r.m2)));
  b.min_ = std::bit_cast<int64_t>(saturate(r.min));
  b.max_ = std::bit_cast<int64_t>(saturate(r.max));
  b.scale_ = kNotDecimal;
  return b;
}

Bucket::Real Bucket::real() const {
  if (count_ == 0) return {};
  if (!is_decimal()) {
    return {std::bit_cast<double>(sum_), std::bit_cast<double>(squares_low_), std::bit_cast<double>(min_),
            std::bit_cast<double>(max_)};
  }
  if (count_ == 1) return single_real(scaled(sum_, scale()));  // one rounding instead of four
  return {scaled(sum_, scale()), m2_of(count_, sum_, decimal().sum_of_squares, scale()),
          scaled(min_, scale()), scaled(max_, scale())};
}

int8_t Bucket::smallest_scale() const {
  if (count_ == 1) {  // the usual case, without 128-bit divisions
    int8_t scale = this->scale();
    for (int64_t sum = sum_; scale > 0 && sum % 10 == 0; sum /= 10) --scale;
    return scale;
  }
  Decimal d = decimal();
  while (d.scale > 0 && d.sum % 10 == 0 && d.min % 10 == 0 && d.max % 10 == 0 &&
         d.sum_of_squares % 100 == 0) {
    d = {d.sum / 10, d.sum_of_squares / 100, d.min / 10, d.max / 10, static_cast<int8_t>(d.scale - 1)};
  }
  return d.scale;
}

bool Bucket::rescale(int8_t scale) {
  if (scale == this->scale()) return true;
  const Decimal d = decimal();
  Decimal r{d.sum, d.sum_of_squares, d.min, d.max, scale};
  if (scale < this->scale()) {
    const int64_t divisor = power_of_ten(this->scale() - scale);
    const Int128 square_divisor = Int128{divisor} * divisor;
    if (d.sum % divisor != 0 || d.min % divisor != 0 || d.max % divisor != 0 ||
        d.sum_of_squares % square_divisor != 0) {
      return false;
    }
    r = {d.sum / divisor, d.sum_of_squares / square_divisor, d.min / divisor, d.max / divisor, scale};
  } else {
    const int64_t factor = power_of_ten(scale - this->scale());
    if (__builtin_mul_overflow(d.sum, factor, &r.sum) || __builtin_mul_overflow(d.min, factor, &r.min) ||
        __builtin_mul_overflow(d.max, factor, &r.max) ||
        __builtin_mul_overflow(d.sum_of_squares, Int128{factor} * factor, &r.sum_of_squares)) {
      return false;
    }
  }
  *this = from_decimal(count_, r);
  return true;
}

double Bucket::sum() const { return is_decimal() ? scaled(sum_, scale()) : std::bit_cast<double>(sum_); }

double Bucket::sum_times(int64_t factor) const {
  return is_decimal() ? scaled(Int128{sum_} * factor, scale())
                      : saturate(sum() * static_cast<double>(factor));
}

double Bucket::sum_over(int64_t divisor) const {
  if (!is_decimal()) return sum() / static_cast<double>(divisor);
  const auto unit = static_cast<Uint128>(power_of_ten(scale()));
  return nearest_quotient(sum_, unit * static_cast<Uint128>(divisor));
}

double Bucket::min() const { return is_decimal() ? scaled(min_, scale()) : std::bit_cast<double>(min_); }
double Bucket::max() const { return is_decimal() ? scaled(max_, scale()) : std::bit_cast<double>(max_); }

double Bucket::mean() const {
  SM_CHECK(count_ > 0);
  return sum_over(static_cast<int64_t>(count_));
}

double Bucket::m2() const { return real().m2; }

double Bucket::stddev() const {
  if (count_ < 2) return 0;
  if (is_decimal()) return nearest_deviation(count_, sum_, decimal().sum_of_squares, scale());
  return std::sqrt(m2() / static_cast<double>(count_ - 1));
}

void Bucket::merge_any(const Bucket& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  if (merge_exactly(other)) return;
  // Digits that neither needs may be the reason why it did not fit. Without them the result is exact whenever
  // it is exact at the samples' own scale, however the buckets got their scales.
  if (is_decimal() && other.is_decimal()) {
    drop_zeros();
    Bucket o = other;
    o.drop_zeros();
    if (merge_exactly(o)) return;
  }
  const uint64_t count = std::min(this->count() + other.count(), kCountMax);
  const Real a = real();
  const Real b = other.real();
  const auto na = static_cast<double>(count_);
  const auto nb = static_cast<double>(other.count_);
  const double delta = b.sum / nb - a.sum / na;
  const double m2 = a.m2 + b.m2 + delta * delta * (na * nb / (na + nb));
  *this = from_real(count, {a.sum + b.sum, m2, std::min(a.min, b.min), std::max(a.max, b.max)});
}

void Bucket::drop_zeros() { SM_CHECK(rescale(smallest_scale())); }

bool Bucket::merge_exactly(Bucket other) {
  const uint64_t count = this->count() + other.count();
  if (!is_decimal() || !other.is_decimal() || count >= kCountMax) return false;
  const int8_t scale = std::max(this->scale(), other.scale());
  if (!rescale(scale) || !other.rescale(scale)) return false;
  const Decimal a = decimal();
  const Decimal b = other.decimal();
  Decimal r{0, 0, std::min(a.min, b.min), std::max(a.max, b.max), scale};
  if (__builtin_add_overflow(a.sum, b.sum, &r.sum) ||
      __builtin_add_overflow(a.sum_of_squares, b.sum_of_squares, &r.sum_of_squares)) {
    return false;
  }
  *this = from_decimal(count, r);
  return true;
}

void Bucket::add_event(const Bucket& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) *this = from_decimal(1, {});
  if (is_decimal() && other.is_decimal()) {
    if (add_event_exactly(other)) return;
    drop_zeros();  // as in merge_any()
    Bucket o = other;
    o.drop_zeros();
    if (add_event_exactly(o)) return;
  }
  const double sum = this->sum() + other.sum();
  *this = from_real(1, {sum, 0, sum, sum});
}

bool Bucket::add_event_exactly(Bucket other) {
  const int8_t scale = std::max(this->scale(), other.scale());
  int64_t total = 0;
  if (!rescale(scale) || !other.rescale(scale) || __builtin_add_overflow(sum_, other.sum_, &total))
    return false;
  *this = from_decimal(1, {total, square(total), total, total, scale});
  return true;
}

Bucket Bucket::event_rate(int64_t seconds) const {
  if (count_ == 0) return {};
  if (is_decimal()) {
    // The rate stays a decimal at the smallest power of ten that is a multiple of the slot's length: 10 s
    // needs one digit.
    for (int digits = 0; scale() + digits <= kScaleMax; ++digits) {
      const Int128 total = Int128{sum_} * power_of_ten(digits);
      if (total % seconds != 0) continue;
      const Int128 rate = total / seconds;
      if (rate > std::numeric_limits<int64_t>::max() || rate < std::numeric_limits<int64_t>::min()) break;
      const auto r = static_cast<int64_t>(rate);
      return from_decimal(1, {r, square(r), r, r, static_cast<int8_t>(scale() + digits)});
    }
  }
  const double rate = sum_over(seconds);
  return from_real(1, {rate, 0, rate, rate});
}

void Bucket::merge_zeros(uint64_t zeros) {
  if (zeros == 0) return;
  merge(from_decimal(std::min(zeros, kCountMax - 1), {}));
}

bool operator==(const Bucket& a, const Bucket& b) {
  if (a.count_ != b.count_) return false;
  if (a.count_ == 0) return true;
  if (a.is_decimal() != b.is_decimal()) return false;
  Bucket x = a;
  Bucket y = b;
  if (x.is_decimal()) {
    // A value that cannot be expressed at the other's scale differs from it.
    const int8_t scale = std::max(x.scale(), y.scale());
    if (!x.rescale(scale) || !y.rescale(scale)) return false;
  }
  return x.sum_ == y.sum_ && x.squares_low_ == y.squares_low_ && x.squares_high_ == y.squares_high_ &&
         x.min_ == y.min_ && x.max_ == y.max_;
}

namespace {

// Returns a number at a larger scale, or nullopt if it does not fit.
std::optional<int64_t> at_scale(const Number& n, int scale) {
  int64_t out = 0;
  if (!n.is_decimal() || __builtin_mul_overflow(n.mantissa, power_of_ten(scale - n.scale), &out))
    return std::nullopt;
  return out;
}

// Returns the sum of squares as a decimal: an integer and its scale.
std::optional<std::pair<Int128, int>> squares_of(const ReadyBucket& rest) {
  if (rest.squares_scale >= 0) return std::pair(rest.exact_squares, int{rest.squares_scale});
  if (!rest.sum_of_squares.is_decimal()) return std::nullopt;
  return std::pair(Int128{rest.sum_of_squares.mantissa}, int{rest.sum_of_squares.scale});
}

// A bucket in doubles, as a store has it.
std::optional<Bucket> ready_real(const Number& sum, const ReadyBucket& rest) {
  const Bucket::Real real{sum.value(), rest.sum_of_squares.value(), rest.min.value(), rest.max.value()};
  if (!is_possible(rest.count, real)) return std::nullopt;
  return Bucket::from_real(rest.count, real);
}

// Returns the exact form of a ready-made bucket of three or more samples, moved to the nearest possible one:
// the sum into [n min, n max], the sum of squares between S^2/n (Cauchy) and (min + max) S - n min max
// (Bhatia and Davis, 2000).
std::optional<Bucket> ready_decimal(const Number& sum, const ReadyBucket& rest) {
  const auto given = squares_of(rest);
  const int squares_scale = given ? (given->second + 1) / 2 : 99;
  const int scale = std::max({int{sum.scale}, int{rest.min.scale}, int{rest.max.scale}, squares_scale});
  if (scale > Bucket::kScaleMax) return std::nullopt;
  const auto s = at_scale(sum, scale);
  const auto min = at_scale(rest.min, scale);
  const auto max = at_scale(rest.max, scale);
  const auto n = static_cast<Int128>(rest.count);
  Int128 squares = 0;
  Int128 unit = 1;
  for (int i = given->second; i < 2 * scale; ++i) unit *= 10;
  if (!s || !min || !max || __builtin_mul_overflow(given->first, unit, &squares)) return std::nullopt;
  const Int128 clamped = std::clamp(Int128{*s}, n * *min, n * *max);
  if (clamped > std::numeric_limits<int64_t>::max() || clamped < std::numeric_limits<int64_t>::min())
    return std::nullopt;
  const auto total = static_cast<int64_t>(clamped);
  Int128 a = 0;
  Int128 b = 0;
  Int128 most = 0;
  if (__builtin_mul_overflow(Int128{*min} + *max, Int128{total}, &a) ||
      __builtin_mul_overflow(n * *min, Int128{*max}, &b) || __builtin_sub_overflow(a, b, &most)) {
    return std::nullopt;
  }
  const Int128 least = (square(total) + n - 1) / n;
  squares = std::max(least, std::min(squares, most));
  return Bucket::from_decimal(rest.count, {total, squares, *min, *max, static_cast<int8_t>(scale)});
}

// Handles samples that are all the same decimal, such as those of a timer with a sample rate: sum and squares
// follow from it, and are exact even if the ones that the sender wrote had too many digits.
std::optional<Bucket> ready_equals(const ReadyBucket& rest) {
  const Number& value = rest.min;
  if (!value.is_decimal() || value.mantissa != rest.max.mantissa || value.scale != rest.max.scale)
    return std::nullopt;
  const auto n = static_cast<Int128>(rest.count);
  const Int128 sum = n * value.mantissa;
  Int128 squares = 0;
  if (sum > std::numeric_limits<int64_t>::max() || sum < std::numeric_limits<int64_t>::min() ||
      __builtin_mul_overflow(n, square(value.mantissa), &squares)) {
    return std::nullopt;
  }
  return Bucket::from_decimal(
      rest.count, {static_cast<int64_t>(sum), squares, value.mantissa, value.mantissa, value.scale});
}

// Two samples of a histogram, of which only the edges of their cells and the sum are known: returns the pair
// that is as far apart as possible.
Bucket pair_between(const Number& sum, const ReadyBucket& rest) {
  const int scale = std::max({int{sum.scale}, int{rest.min.scale}, int{rest.max.scale}});
  const auto s = at_scale(sum, scale);
  const auto min = at_scale(rest.min, scale);
  const auto max = at_scale(rest.max, scale);
  if (s && min && max) {
    const Int128 total = std::clamp(Int128{*s}, Int128{2} * *min, Int128{2} * *max);
    const Int128 greater = std::min(total - *min, Int128{*max});
    const auto second = static_cast<int64_t>(greater);
    const auto first = static_cast<int64_t>(total - greater);
    Bucket pair = Bucket::from_decimal(1, single_decimal(first, static_cast<int8_t>(scale)));
    pair.merge(Bucket::from_decimal(1, single_decimal(second, static_cast<int8_t>(scale))));
    return pair;
  }
  const double total = std::clamp(sum.value(), 2 * rest.min.value(), 2 * rest.max.value());
  const double greater = std::min(total - rest.min.value(), rest.max.value());
  Bucket pair = Bucket::of(Number::of(total - greater));
  pair.merge(Bucket::of(Number::of(greater)));
  return pair;
}

}  // namespace

std::optional<Bucket> Bucket::ready(const Number& sum, const ReadyBucket& rest) {
  const double min = rest.min.value();
  const double max = rest.max.value();
  if (rest.count == 0 || rest.count >= kCountMax || min > max) return std::nullopt;
  const auto n = static_cast<double>(rest.count);
  const double mean = sum.value() / n;
  const double slack = 1e-4 * std::max(std::abs(min), std::abs(max));  // istatd's agents print 6 digits
  if (mean < min - slack || mean > max + slack) return std::nullopt;
  if (rest.count == 1) return of(sum);
  if (rest.has_deviations) return ready_real(sum, rest);
  if (rest.count == 2 && !rest.cells.empty()) return pair_between(sum, rest);
  if (rest.count == 2) {
    Bucket pair = of(rest.min);
    pair.merge(of(rest.max));
    return pair;
  }
  if (auto exact = ready_equals(rest)) return exact;
  if (auto exact = ready_decimal(sum, rest)) return exact;
  const double possible_sum = std::clamp(sum.value(), min * n, max * n);
  const double m = possible_sum / n;
  const double m2 = std::clamp(rest.sum_of_squares.value() - possible_sum * m, 0.0,
                               std::max(0.0, (max - m) * (m - min) * n));
  return from_real(rest.count, {possible_sum, m2, min, max});
}

}  // namespace statmill
