// SampleSum: what samples of one series and second add up to, as long as a line can say it to the last digit.
//
// A line's numbers are exact up to 2^53 and 15 decimals. A sample that would pass this is not added, so that
// the server comes to the very bucket that the samples themselves would have made.
#pragma once

#include <cstdint>

#include "proto/number.h"
#include "proto/sample.h"

namespace statmill {

class SampleSum {
 public:
  static constexpr int8_t kScaleMax = 7;  // of gauges and distributions: their squares have twice as many

  SampleSum() = default;                                       // of no sample
  SampleSum(Kind kind, const Number& value, uint64_t weight);  // Requires: can_hold()

  // Whether it can hold this sample, that is `weight` observations of the value. Requires: weight > 0
  static bool can_hold(Kind kind, const Number& value, uint64_t weight);

  // Adds what it can hold by itself; false, and nothing has changed, when it cannot hold both. Requires: the
  // kind is that of the samples before.
  bool add(Kind kind, const Number& value, uint64_t weight);

  uint64_t count() const { return count_; }
  bool is_one_value() const { return min_ == max_; }
  Number sum() const { return Number::decimal(sum_, scale_); }
  // Of a gauge or distribution, without cells.
  ReadyBucket rest() const;

 private:
  bool rescale(Kind kind, int8_t scale);

  // Mantissas at 10^scale, squares_ at 10^(2 scale); of an event sum_ alone.
  uint64_t count_ = 0;
  int64_t sum_ = 0;
  int64_t squares_ = 0;
  int64_t min_ = 0;
  int64_t max_ = 0;
  int8_t scale_ = 0;
};

}  // namespace statmill
