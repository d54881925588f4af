// ProtobufFields: the fields of one protobuf message, in the order of its bytes (protobuf.dev, "Encoding").
//
//   key varint = field number << 3 | wire type | value: varint, 8 bytes, length varint and bytes, or 4 bytes
//
//   for (ProtobufFields fields(bytes); fields.next();) {
//     if (fields.is(1, WireType::kBytes)) name = fields.bytes();
//   }
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes.h"

namespace statmill {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The number in at most 8 bytes, the lowest first.
inline uint64_t little_endian(std::string_view bytes) {
  uint64_t value = 0;
  if (std::endian::native == std::endian::little && bytes.size() == sizeof(value)) {
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

// Calls `visit` with the bits of each element of a packed field of 8 bytes each, but with at most `count_max`
// of them. Returns false if the field is damaged.
template <class Visit>
bool each_fixed64(std::string_view packed, size_t count_max, const Visit& visit) {
  for (size_t i = 0; i + 8 <= packed.size() && i < 8 * count_max; i += 8)
    visit(little_endian(packed.substr(i, 8)));
  return packed.size() % 8 == 0;
}

// Views into the message, which must outlive it. Fields that nobody asks for are skipped.
class ProtobufFields {
 public:
  explicit ProtobufFields(std::string_view message) : reader_(message) {}

  // Reads the next field. Returns false at the end of the message, and where it is damaged: failed() says
  // which. Groups, which no message of today has, are damage.
  bool next() {
    if (reader_.done()) return false;
    const uint64_t key = reader_.varint();
    number_ = key >> 3;
    type_ = static_cast<WireType>(key & 7);
    integer_ = 0;
    bytes_ = {};
    switch (type_) {
      case WireType::kVarint:
        integer_ = reader_.varint();
        break;
      case WireType::kFixed64:
        integer_ = little_endian(reader_.bytes(8));
        break;
      case WireType::kBytes:
        bytes_ = reader_.bytes(reader_.varint());
        break;
      case WireType::kFixed32:
        integer_ = little_endian(reader_.bytes(4));
        break;
      default:
        is_damaged_ = true;
    }
    is_damaged_ = is_damaged_ || number_ == 0 || reader_.failed();
    return !is_damaged_;
  }
  bool failed() const { return is_damaged_; }

  // These are about the field that was read last.
  bool is(uint64_t number, WireType type) const { return number_ == number && type_ == type; }
  uint64_t integer() const { return integer_; }  // of a varint
  int64_t signed_integer() const { return static_cast<int64_t>(integer_); }
  double real() const { return std::bit_cast<double>(integer_); }  // of 8 bytes
  std::string_view bytes() const { return bytes_; }

 private:
  Reader reader_;
  uint64_t number_ = 0;
  WireType type_ = WireType::kVarint;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool is_damaged_ = false;
};

}  // namespace statmill
