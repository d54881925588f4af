// Reader and Writer: all bytes of wire and disk formats are read and written through these two.
//
// A Reader cannot run past its end: a read beyond it returns zeros and sets failed(), which decoders check
// once at the end of each unit. Integers are big endian where keys must sort, and LEB128 varints elsewhere.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/int128.h"

namespace statmill {

// Maps integers of small magnitude to small ones: 0, -1, 1, -2 -> 0, 1, 2, 3. Negative integers, and
// differences modulo 2^64, are in two's complement.
constexpr uint64_t zigzag(uint64_t v) { return (v << 1) ^ (uint64_t{0} - (v >> 63)); }
constexpr uint64_t unzigzag(uint64_t z) { return (z >> 1) ^ (uint64_t{0} - (z & 1)); }

// Appends to a string, which must outlive the Writer.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void u8(uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void u16be(uint16_t v) { big_endian(v, 2); }
  void u32be(uint32_t v) { big_endian(v, 4); }
  void u64be(uint64_t v) { big_endian(v, 8); }
  void f64(double v) { big_endian(std::bit_cast<uint64_t>(v), 8); }
  void bytes(std::string_view v) { out_.append(v); }

  void varint(uint64_t v) {
    if (v < 0x80) return u8(static_cast<uint8_t>(v));
    char b[kVarintBytesMax];
    size_t size = 0;
    for (; v >= 0x80; v >>= 7) b[size++] = static_cast<char>(v | 0x80);
    b[size++] = static_cast<char>(v);
    out_.append(b, size);
  }
  void svarint(int64_t v) { varint(zigzag(static_cast<uint64_t>(v))); }
  // Up to 19 bytes.
  void varint128(Uint128 v) {
    if (v >> 64 == 0) return varint(static_cast<uint64_t>(v));
    while (v >= 0x80) {
      u8(static_cast<uint8_t>(static_cast<uint64_t>(v) | 0x80));
      v >>= 7;
    }
    u8(static_cast<uint8_t>(v));
  }

  size_t size() const { return out_.size(); }

 private:
  static constexpr size_t kVarintBytesMax = 10;

  void big_endian(uint64_t v, int bytes) {
    char b[8];
    for (int i = 0; i < bytes; ++i) b[i] = static_cast<char>(v >> (8 * (bytes - 1 - i)));
    out_.append(b, static_cast<size_t>(bytes));
  }

  std::string& out_;
};

// Reads from bytes that must outlive the Reader.
class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  uint8_t u8() {
    if (at_ >= in_.size()) return fail<uint8_t>();
    return static_cast<uint8_t>(in_[at_++]);
  }
  uint16_t u16be() { return static_cast<uint16_t>(big_endian(2)); }
  uint32_t u32be() { return static_cast<uint32_t>(big_endian(4)); }
  uint64_t u64be() { return big_endian(8); }
  double f64() { return std::bit_cast<double>(big_endian(8)); }

  uint64_t varint() {
    if (at_ < in_.size() && static_cast<uint8_t>(in_[at_]) < 0x80) return static_cast<uint8_t>(in_[at_++]);
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t b = u8();
      if (shift == 63 && b > 1) return fail<uint64_t>();
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return failed_ ? 0 : v;
    }
    return fail<uint64_t>();
  }
  int64_t svarint() { return static_cast<int64_t>(unzigzag(varint())); }
  Uint128 varint128() {
    Uint128 v = 0;
    for (int shift = 0; shift < 128; shift += 7) {
      const uint8_t b = u8();
      if (shift == 126 && b > 3) return fail<uint64_t>();
      v |= static_cast<Uint128>(b & 0x7f) << shift;
      if (b < 0x80) return failed_ ? 0 : v;
    }
    return fail<uint64_t>();
  }
  // Returns the next n bytes; if fewer are left, returns an empty view and sets failed().
  std::string_view bytes(size_t n) {
    if (n > remaining()) {
      fail<int>();
      return {};
    }
    const std::string_view v = in_.substr(at_, n);
    at_ += n;
    return v;
  }

  std::string_view rest() const { return in_.substr(at_); }
  size_t position() const { return at_; }
  size_t remaining() const { return in_.size() - at_; }
  bool done() const { return at_ == in_.size(); }
  bool failed() const { return failed_; }

 private:
  template <class T>
  T fail() {
    failed_ = true;
    at_ = in_.size();
    return T{};
  }
  uint64_t big_endian(size_t bytes) {
    if (bytes > remaining()) return fail<uint64_t>();
    uint64_t v = 0;
    for (size_t i = 0; i < bytes; ++i) v = v << 8 | static_cast<uint8_t>(in_[at_ + i]);
    at_ += bytes;
    return v;
  }

  std::string_view in_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace statmill
