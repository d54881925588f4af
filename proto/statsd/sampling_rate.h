// What a sampling rate makes of a value: a client that sends one of ten says @0.1, and the value stands for
// ten.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "proto/batch.h"

namespace statmill {

// Of all, until one is read.
class SamplingRate {
 public:
  static constexpr int64_t kWeightMax = 1'000'000'000;  // observations that one value may stand for

  // False when it is no number in (0, 1], or one below 1 / kWeightMax.
  [[nodiscard]] bool read(std::string_view text) { return read(text.data(), text); }
  // Reads nothing before `readable`, which had best be eight bytes before the text or more.
  [[nodiscard]] bool read(const char* readable, std::string_view text);

  // The amount of all occurrences, amount / rate: exact when it has no more decimals than `amount`.
  std::optional<Refusal> scale_amount(Number& amount) const;

  // Makes a sample of the batch a ready-made bucket of 1 / rate observations of its value, to the nearest
  // integer. A single one stays as it is.
  std::optional<Refusal> repeat(Sample& sample, Batch& batch) const;

 private:
  bool set(Number rate);

  Number rate_{1, 0};
  int64_t weight_ = 1;    // 1 / rate, to the nearest integer
  bool is_whole_ = true;  // 1 / rate is that integer
};

}  // namespace statmill
