// BitWriter and BitReader: a stream of bits over bytes, low bits first, written and read a word at a time.
//
// The codec's columns are made of it (storage/FORMAT.md). The bytes are the same on every CPU.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace statmill {

// Returns the number of bits that v needs: 64 less its leading zeros, 0 for 0.
inline int width_of(uint64_t v) { return 64 - std::countl_zero(v); }

// Appends bits to a string. The string is complete only after finish().
class BitWriter {
 public:
  static constexpr int kBitsMax = 57;  // per put(): a word less up to 7 bits of an unfinished byte

  explicit BitWriter(std::string& out) : out_(out), end_(out.size()) {}

  // Requires: bits <= kBitsMax, value < 2^bits.
  void put(uint64_t value, int bits) {
    if (out_.size() < end_ + sizeof(uint64_t)) [[unlikely]]
      grow();
    waiting_ |= value << used_;
    used_ += bits;
    store(waiting_);
    const int whole = used_ >> 3;
    end_ += static_cast<size_t>(whole);
    waiting_ = whole == 8 ? 0 : waiting_ >> (8 * whole);
    used_ &= 7;
  }
  // Writes any number: its width in 6 bits, then its bits below the highest, which is always 1.
  void put_number(uint64_t value) {
    const int width = width_of(value);
    put(static_cast<uint64_t>(std::min(width, 63)), 6);
    if (width >= 63) put(width == 64 ? 1 : 0, 1);
    if (width > 1) put_wide(value ^ (uint64_t{1} << (width - 1)), width - 1);
  }
  // Requires: bits <= 64, value < 2^bits.
  void put_wide(uint64_t value, int bits) {
    if (bits > 32) {
      put(value & 0xffffffff, 32);
      value >>= 32;
      bits -= 32;
    }
    put(value, bits);
  }
  // Fills the last byte with zeros and sets the string's length.
  void finish() { out_.resize(end_ + (used_ > 0 ? 1 : 0)); }

 private:
  [[gnu::noinline]] void grow() { out_.resize(2 * end_ + 64); }
  void store(uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(out_.data() + end_, &word, sizeof(word));
  }

  std::string& out_;
  size_t end_;            // whole bytes written
  uint64_t waiting_ = 0;  // the bits of the unfinished byte at end_
  int used_ = 0;          // how many they are, below 8
};

// Reads what BitWriter wrote. Past the end it returns zeros; check done() or overrun() afterwards.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  // Returns at least the next 57 bits, low bits first; the bits above are either correct or zero.
  uint64_t peek() const {
    const size_t byte = position_ >> 3;
    uint64_t word = 0;
    if (byte + sizeof(word) <= bytes_.size()) [[likely]] {
      std::memcpy(&word, bytes_.data() + byte, sizeof(word));
    } else if (byte < bytes_.size()) {
      std::memcpy(&word, bytes_.data() + byte, bytes_.size() - byte);
    }
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word >> (position_ & 7);
  }
  void skip(int bits) { position_ += static_cast<size_t>(bits); }
  // Requires: bits <= BitWriter::kBitsMax.
  uint64_t get(int bits) {
    const uint64_t value = peek() & ((uint64_t{1} << bits) - 1);
    skip(bits);
    return value;
  }
  uint64_t get_wide(int bits) {
    if (bits <= 32) return get(bits);
    const uint64_t low = get(32);
    return low | get(bits - 32) << 32;
  }
  uint64_t get_number() {
    auto width = static_cast<int>(get(6));
    if (width < 2) return static_cast<uint64_t>(width);
    if (width == 63) width += static_cast<int>(get(1));
    return get_wide(width - 1) | uint64_t{1} << (width - 1);
  }
  // Returns whether the position is in the last byte or at its end, and the rest of that byte is zeros.
  bool done() const {
    const size_t bits = 8 * bytes_.size();
    return position_ <= bits && bits - position_ < 8 && (position_ % 8 == 0 || peek() == 0);
  }
  bool overrun() const { return position_ > 8 * bytes_.size(); }

 private:
  std::string_view bytes_;
  size_t position_ = 0;  // in bits
};

}  // namespace statmill
