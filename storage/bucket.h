// Bucket: the aggregate of all samples of one series in one slot: count, sum, M2, min, max.
//
// A commutative monoid: merge is associative and commutative, and the empty bucket is its identity. Samples
// that are decimals (nearly all) are held as scaled integers, so merging them is exact to the bit in any
// order. If an integer would overflow, or a sample is not a decimal, the bucket switches to doubles and
// merges by the formula of Chan, Golub and LeVeque (1979): integers never wrap, M2 is never negative. It
// never uses a sum of squares in doubles, because that cancels catastrophically.
#pragma once

#include <cstdint>
#include <optional>

#include "base/int128.h"
#include "proto/sample.h"

namespace statmill {

class Bucket {
 public:
  // The exact form: value = integer / 10^scale; sum_of_squares at 10^(2 scale).
  struct Decimal {
    int64_t sum = 0;
    Int128 sum_of_squares = 0;
    int64_t min = 0;
    int64_t max = 0;
    int8_t scale = 0;  // 0..kScaleMax
  };
  // The form of every other bucket.
  struct Real {
    double sum = 0;
    double m2 = 0;  // sum of squared deviations from the mean, >= 0
    double min = 0;
    double max = 0;
  };
  static constexpr int8_t kScaleMax = 18;                   // 10^18 fits an int64
  static constexpr uint64_t kCountMax = uint64_t{1} << 48;  // counts saturate here

  Bucket() = default;  // empty

  static Bucket of(const Number& value) {
    if (!value.is_decimal()) return of_real(value.value());
    const int64_t v = value.mantissa;
    return Bucket(1, {v, Int128{v} * v, v, v, value.scale});
  }
  // Makes a bucket that a sender has aggregated. Returns nullopt if it contradicts itself: the count is 0 or
  // over kCountMax, min > max, or the mean is outside [min, max] by more than 0.01 % of the magnitude. A sum
  // of squares that no samples could have (senders print few digits) is moved to the nearest possible one.
  static std::optional<Bucket> ready(const Number& sum, const ReadyBucket& rest);
  // Requires: is_possible(count, d) (bucket_check.h), count > 0.
  static Bucket from_decimal(uint64_t count, const Decimal& d) { return Bucket(count, d); }
  static Bucket from_real(uint64_t count, const Real& real);  // Requires: as from_decimal()

  bool is_empty() const { return count_ == 0; }
  uint64_t count() const { return count_; }
  bool is_decimal() const { return scale_ >= 0; }
  int8_t scale() const { return static_cast<int8_t>(scale_); }  // Requires: is_decimal()
  Decimal decimal() const {                                     // Requires: is_decimal()
    const Uint128 high = static_cast<Uint128>(static_cast<uint64_t>(squares_high_)) << 64;
    return {sum_, static_cast<Int128>(high | squares_low_), min_, max_, scale()};
  }
  int8_t smallest_scale() const;  // the least scale that holds it exactly. Requires: is_decimal()
  // Expresses the same numbers at another scale. Returns false, and changes nothing, if they do not fit.
  // Requires: is_decimal().
  bool rescale(int8_t scale);
  Real real() const;  // the numbers of either form, rounded to doubles

  // If the bucket is decimal, all of these but m2() return the double nearest to the exact number. Any other
  // bucket has only a rounded sum and a rounded M2 to compute them from.
  double sum() const;
  double sum_times(int64_t factor) const;
  double sum_over(int64_t divisor) const;  // Requires: 0 < divisor <= kCountMax
  double mean() const;                     // Requires: not empty
  double min() const;
  double max() const;
  double m2() const;
  // Returns the sample standard deviation (n - 1), or 0 if there are fewer than two samples.
  double stddev() const;

  // Adds all samples of `other`. Cost: a few ns if both are decimals of one scale, which is nearly always so.
  void merge(const Bucket& other) {
    if (!merge_same_scale(other)) merge_any(other);
  }
  // Adds one sample, at the same cost.
  void add(const Number& value) {
    if (!add_same_scale(value)) merge_any(of(value));
  }
  // Adds the totals of an event series; the result is one observation of the new total.
  void add_event(const Bucket& other);
  // Returns the bucket of one observation, `total / seconds`, for an event slot of `seconds`.
  Bucket event_rate(int64_t seconds) const;
  // Adds `zeros` observations of 0, one for each silent slot of an event series.
  void merge_zeros(uint64_t zeros);

  // Compares the numbers: decimal buckets of different scale are equal if their values are.
  friend bool operator==(const Bucket& a, const Bucket& b);

 private:
  Bucket(uint64_t count, const Decimal& d)
      : count_(count & kCountBits),
        scale_(d.scale),
        sum_(d.sum),
        squares_low_(static_cast<uint64_t>(d.sum_of_squares)),
        squares_high_(static_cast<int64_t>(d.sum_of_squares >> 64)),
        min_(d.min),
        max_(d.max) {}
  static Bucket of_real(double value);
  // Returns false, and changes nothing, if they are not decimals of one scale, one is empty, or the sums do
  // not fit.
  bool merge_same_scale(const Bucket& other) {
    if (scale_ != other.scale_ || scale_ < 0 || count_ == 0 || other.count_ == 0) return false;
    return add_exactly(other.count_, other.decimal());
  }
  bool add_same_scale(const Number& value) {
    if (scale_ != value.scale || scale_ < 0 || count_ == 0) return false;
    const int64_t v = value.mantissa;
    return add_exactly(1, {v, Int128{v} * v, v, v, value.scale});
  }
  bool add_exactly(uint64_t count, const Decimal& d) {
    int64_t sum = 0;
    Int128 squares = 0;
    if (count_ + count >= kCountMax || __builtin_add_overflow(sum_, d.sum, &sum) ||
        __builtin_add_overflow(decimal().sum_of_squares, d.sum_of_squares, &squares)) {
      return false;
    }
    count_ = (count_ + count) & kCountBits;
    sum_ = sum;
    squares_low_ = static_cast<uint64_t>(squares);
    squares_high_ = static_cast<int64_t>(squares >> 64);
    min_ = d.min < min_ ? d.min : min_;
    max_ = d.max > max_ ? d.max : max_;
    return true;
  }
  void merge_any(const Bucket& other);
  // These two return false if the sums do not fit; the scale may have changed. The second requires decimals.
  bool merge_exactly(Bucket other);
  bool add_event_exactly(Bucket other);
  void drop_zeros();  // brings it to its smallest scale. Requires: is_decimal()

  static constexpr uint64_t kCountBits = (uint64_t{1} << 56) - 1;  // kCountMax is far below
  static constexpr int8_t kNotDecimal = -1;

  uint64_t count_ : 56 = 0;
  int64_t scale_ : 8 = 0;  // kNotDecimal: the bucket is in real form
  // In decimal form: sum, min, max as integers, and the sum of squares in two halves. In real form: the bits
  // of doubles, with M2 in the low half. Halves keep the bucket at 48 bytes, 8-aligned.
  int64_t sum_ = 0;
  uint64_t squares_low_ = 0;
  int64_t squares_high_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
};
static_assert(sizeof(Bucket) == 48);  // each series has several in RAM

}  // namespace statmill
