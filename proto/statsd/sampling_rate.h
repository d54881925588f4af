// SamplingRate: scales values by a statsd sampling rate. A client that sends one of ten values
// marks it @0.1, and it counts ten times.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

// The rate is 1 until read() sets it.
class SamplingRate {
 public:
  static constexpr int64_t kWeightMax = 1'000'000'000;  // the largest weight, 1 / rate, of a value

  // Returns false if `text` is not a number in (0, 1] or is below 1 / kWeightMax.
  [[nodiscard]] bool read(std::string_view text) { return read(text.data(), text); }
  // Reads nothing before `readable`; it is fastest with at least eight bytes there.
  [[nodiscard]] bool read(const char* readable, std::string_view text);

  // Sets `amount` to amount / rate. The result is exact if it has no more decimals than `amount`.
  Verdict<Refusal> scale_amount(Number& amount) const;

  // Turns a sample of the batch into a ready-made bucket of 1 / rate observations of its value, rounded to
  // the nearest integer. Leaves it unchanged if that is 1.
  Verdict<Refusal> repeat(Sample& sample, Batch& batch) const;

 private:
  bool set(Number rate);

  Number rate_{1, 0};
  int64_t weight_ = 1;    // 1 / rate, to the nearest integer
  bool is_whole_ = true;  // 1 / rate is exactly weight_
};

}  // namespace statmill
