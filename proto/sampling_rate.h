// What a sampling rate makes of a value: a client that sends one of ten says @0.1, and the value stands for
// ten.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

class SamplingRate {
 public:
  static constexpr int64_t kWeightMax = 1'000'000'000;  // observations that one value may stand for

  // None when `text` is no number in (0, 1], or one below 1 / kWeightMax.
  static std::optional<SamplingRate> read(std::string_view text);

  // The amount of all occurrences, amount / rate: exact when it has no more decimals than `amount`.
  std::optional<Refusal> scale_amount(Number& amount) const;

  // Makes a sample of the batch a ready-made bucket of 1 / rate observations of its value, to the nearest
  // integer. A single one stays as it is.
  std::optional<Refusal> repeat(Sample& sample, Batch& batch) const;

 private:
  SamplingRate(const Number& rate, int64_t weight, bool is_whole)
      : rate_(rate), weight_(weight), is_whole_(is_whole) {}

  Number rate_;
  int64_t weight_;  // 1 / rate, to the nearest integer
  bool is_whole_;   // 1 / rate is that integer
};

}  // namespace statmill
