// SampleSum: the sum of the samples of one series and second, as long as a line can express it exactly.
//
// The numbers of a line are exact up to 18 digits and 18 decimals. A sample that would exceed this is not
// added, so that the server computes the same bucket as from the original samples.
#pragma once

#include <cstdint>

#include "proto/number.h"
#include "proto/sample.h"

namespace statmill {

class SampleSum {
 public:
  // For gauges and distributions: squares have twice as many decimals.
  static constexpr int8_t kScaleMax = Number::kScaleMax / 2;

  SampleSum() = default;                                       // without samples
  SampleSum(Kind kind, const Number& value, uint64_t weight);  // Requires: can_hold()

  // True if an empty sum can hold this sample, which means `weight` observations of `value`. Requires: weight
  // > 0
  static bool can_hold(Kind kind, const Number& value, uint64_t weight);

  // Adds the sample. Returns false and changes nothing if the result would not be exact. Requires: can_hold()
  // the sample; all samples have the same kind.
  bool add(Kind kind, const Number& value, uint64_t weight);

  uint64_t count() const { return count_; }
  bool is_one_value() const { return min_ == max_; }
  Number sum() const { return Number::decimal(sum_, scale_); }
  // The moments of a gauge or distribution, without histogram cells.
  ReadyBucket rest() const;

 private:
  bool rescale(Kind kind, int8_t scale);

  // Mantissas at 10^scale; squares_ at 10^(2 scale). Kinds that add up use only sum_.
  uint64_t count_ = 0;
  int64_t sum_ = 0;
  int64_t squares_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
  int8_t scale_ = 0;
};

}  // namespace statmill
