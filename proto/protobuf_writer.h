// ProtobufWriter: writes a protobuf message field by field, as senders do.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace statmill {

class ProtobufWriter {
 public:
  void integer(uint64_t field, uint64_t value) {
    writer_.varint(field << 3);
    writer_.varint(value);
  }
  void fixed(uint64_t field, uint64_t value) {
    writer_.varint(field << 3 | 1);
    for (int i = 0; i < 8; ++i) writer_.u8(static_cast<uint8_t>(value >> (8 * i)));
  }
  void real(uint64_t field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
  void bytes(uint64_t field, std::string_view value) {
    writer_.varint(field << 3 | 2);
    writer_.varint(value.size());
    writer_.bytes(value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Writer writer_{text_};
};

}  // namespace statmill
