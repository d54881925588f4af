// CompensatedSum: a sum of doubles whose rounding errors are summed separately (Neumaier 1974).
#pragma once

#include <cmath>

namespace statmill {

class CompensatedSum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  // Infinities have no rounding error: the sum alone says which infinity it is, or NaN.
  double value() const { return std::isfinite(sum_) ? sum_ + error_ : sum_; }

 private:
  double sum_ = 0;
  double error_ = 0;
};

}  // namespace statmill
