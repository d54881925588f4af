// HistorySink: receives the samples that a reader finds in files of other systems.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/sample.h"

namespace statmill {

class HistorySink {
 public:
  virtual ~HistorySink() = default;

  // A sample with a time and a canonical name; its views are valid during the call. Returns false if the
  // reader is to end.
  [[nodiscard]] virtual bool add(const Sample& sample) = 0;

  // Something at `place` (a line's number from 1 on, or a byte's offset: HistoryReader::place()) is no sample
  // that can be stored. `reason` is a label such as "bad_value", a string literal. Returns as add().
  [[nodiscard]] virtual bool refuse(uint64_t place, std::string_view reason) = 0;
};

}  // namespace statmill
