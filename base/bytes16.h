// Bytes16: compares sixteen bytes of a text at once. It uses GCC's vector extensions, so it works on any CPU;
// on x86-64, SSE2 (which all of them have) turns comparisons into bit masks.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace statmill {

using Bytes16 __attribute__((vector_size(16))) = uint8_t;
using Mask16 __attribute__((vector_size(16))) = int8_t;  // the result of a comparison: 0 or -1 per byte

inline Bytes16 bytes16_at(const char* at) {
  Bytes16 bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

inline Bytes16 sixteen(char byte) { return Bytes16{} + static_cast<uint8_t>(byte); }

// Returns a mask in which bit i is set if byte i of `mask` is -1.
inline uint64_t bits_of(Mask16 mask) {
  static_assert(std::endian::native == std::endian::little);
#if defined(__SSE2__)
  return static_cast<uint64_t>(_mm_movemask_epi8(std::bit_cast<__m128i>(mask)));
#else
  const auto halves = std::bit_cast<std::array<uint64_t, 2> >(mask);
  constexpr uint64_t kLowBits = 0x0101010101010101;
  constexpr uint64_t kGather = 0x0102040810204080;  // moves bit 0 of byte i to bit 56 + i
  return (halves[0] & kLowBits) * kGather >> 56 | (halves[1] & kLowBits) * kGather >> 56 << 8;
#endif
}

// Sixteen bytes around a position in a text, for use near its end, where fewer than sixteen follow.
struct Lane16 {
  Bytes16 bytes;
  int before = 0;  // how many of the bytes are before the position

  // Bit i is the value of `mask` for the i-th byte from the position on. Bits past the end of the text are
  // undefined.
  uint64_t bits(Mask16 mask) const { return bits_of(mask) >> before; }
};

// Reads only within [begin, end). Requires: begin <= at < end.
inline Lane16 lane16_at(const char* begin, const char* at, const char* end) {
  if (end - at >= 16) return {bytes16_at(at)};
  if (end - begin >= 16) return {bytes16_at(end - 16), 16 - static_cast<int>(end - at)};
  Lane16 lane{};
  std::memcpy(&lane.bytes, at, static_cast<size_t>(end - at));
  return lane;
}

// Returns the first byte in [at, end) for which `test` (Bytes16 -> Mask16) is true, or `end`. Reads only
// within [begin, end). Requires: begin <= at <= end.
template <class Test>
const char* find_first(const char* begin, const char* at, const char* end, const Test& test) {
  for (; end - at >= 16; at += 16) {
    if (const uint64_t found = bits_of(test(bytes16_at(at)))) return at + std::countr_zero(found);
  }
  if (at == end) return end;
  const Lane16 lane = lane16_at(begin, at, end);
  const uint64_t past_end = uint64_t{1} << (end - at);  // the search finds `end` at the latest
  return at + std::countr_zero(lane.bits(test(lane.bytes)) | past_end);
}

// Returns true if two texts of `size` bytes are equal. Fast for short texts that are usually equal.
inline bool are_same_bytes(const char* a, const char* b, size_t size) {
  constexpr uint64_t kAll = 0xffff;
  const auto same_at = [&](size_t i) { return bits_of(bytes16_at(a + i) == bytes16_at(b + i)) == kAll; };
  if (size < 16) return size == 0 || std::memcmp(a, b, size) == 0;
  for (size_t i = 0; i < size - 16; i += 16) {
    if (!same_at(i)) return false;
  }
  return same_at(size - 16);
}

}  // namespace statmill
