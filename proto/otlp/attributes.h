// OtlpAttributeReader: reads repeated KeyValue messages as labels.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>

#include "proto/otlp/metrics.h"

namespace statmill {

// Thread-compatible. clear() keeps its memory.
class OtlpAttributeReader {
 public:
  void clear();
  // Adds one KeyValue. Returns false if it is damaged or beyond kOtlpDepthMax.
  bool add(std::string_view key_value);
  // Valid until clear().
  OtlpAttributes attributes() const;

 private:
  std::string_view keep(std::string text);

  std::array<LabelView, kOtlpAttributesMax> labels_;
  size_t count_ = 0;
  std::deque<std::string> texts_;  // the texts of values of other types
};

}  // namespace statmill
