// Fast parsing of numbers of at most 16 digits, as nearly all are: digits with at most one point and a sign.
// All bytes are read at once and without a branch on their values.
//
// The text is right-aligned in a word, its last byte on top, so that numbers of different length take the
// same branches: the main cost of a byte loop is the mispredicted end of each loop. Three multiplications of
// neighbours (pairs, fours, eights) turn the digits into an integer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/int128.h"
#include "proto/number.h"

namespace statmill {

namespace fast_number {

inline constexpr uint64_t kEachByte = 0x0101010101010101;

// Returns the eight bytes before `end`, the last one on top. Does not read bytes
// before `readable`; they count as zeros.
inline uint64_t word_before(const char* readable, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t word = 0;
  if (end - readable >= 8) {
    std::memcpy(&word, end - 8, sizeof(word));
    return word;
  }
  for (; readable < end; ++readable) word = word >> 8 | uint64_t{static_cast<uint8_t>(*readable)} << 56;
  return word;
}

template <class Word>
Word text_before(const char* readable, const char* end) {
  if constexpr (sizeof(Word) == 8) {
    return word_before(readable, end);
  } else {
    return static_cast<Word>(word_before(readable, end)) << 64 |
           (end - readable > 8 ? word_before(readable, end - 8) : 0);
  }
}

// Returns the integer that eight digits form. Each digit is a byte from 0 to 9; the
// most significant digit is the lowest byte.
inline uint64_t integer_of(uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  return ((digits & kPairs) * (100 + (uint64_t{1000000} << 32)) +
          (digits >> 16 & kPairs) * (1 + (uint64_t{10000} << 32))) >>
         32;
}
inline uint64_t integer_of(Uint128 digits) {
  return integer_of(static_cast<uint64_t>(digits)) * 100000000 +
         integer_of(static_cast<uint64_t>(digits >> 64));
}

// Returns the number of trailing zero digits.
inline int trailing_zeros(uint64_t digits) { return std::countl_zero(digits) / 8; }
inline int trailing_zeros(Uint128 digits) {
  const auto high = static_cast<uint64_t>(digits >> 64);
  return high != 0 ? trailing_zeros(high) : 8 + trailing_zeros(static_cast<uint64_t>(digits));
}

inline int lowest_bit(uint64_t word) { return std::countr_zero(word); }
inline int lowest_bit(Uint128 word) {
  const auto low = static_cast<uint64_t>(word);
  return low != 0 ? lowest_bit(low) : 64 + lowest_bit(static_cast<uint64_t>(word >> 64));
}

// Parses the `size` bytes before `end`, a number without sign. Requires: 1 <= size <= sizeof(Word).
template <class Word>
bool read_unsigned(const char* readable, const char* end, size_t size, Number& number) {
  constexpr int kBytes = sizeof(Word);
  constexpr Word kEach =
      sizeof(Word) == 8 ? Word{kEachByte} : static_cast<Word>((Uint128{kEachByte} << 64) | kEachByte);
  constexpr uint8_t kPoint = '.' ^ '0';
  // Digits become 0 to 9; the bytes before the text become 0.
  Word digits = text_before<Word>(readable, end) ^ kEach * '0';
  digits &= ~Word{0} << (8 * (sizeof(Word) - size));
  // A one in each byte that is not a digit: at most one may be set, and it must be the point. (A byte over
  // 127 may carry into the next one, which then counts as well; such a text is not a number anyway.)
  const Word point = (((digits + kEach * (0x7f - 9)) | digits) & kEach * 0x80) >> 7;
  digits ^= point * kPoint;
  if ((point & (point - 1)) != 0 || (digits & point * 0xff) != 0) return false;
  const bool has_point = point != 0;
  if (size == size_t{has_point}) return false;
  // The digits before the point move up by one byte, into its place.
  const Word before_point = point - Word{has_point};
  digits = (digits & ~before_point) | (digits & before_point) << 8;
  const int fraction = has_point ? kBytes - 1 - lowest_bit(point) / 8 : 0;
  const int zeros = std::min(fraction, trailing_zeros(digits));
  digits <<= 8 * zeros;
  static_assert(Number::kMantissaMax >= 9'999'999'999'999'999);  // 16 digits always fit
  number.mantissa = static_cast<int64_t>(integer_of(digits));
  number.scale = static_cast<int8_t>(fraction - zeros);
  return true;
}

}  // namespace fast_number

// Parses the whole text like parse_number(). Returns false, and leaves `number` unchanged, if
// the text has more than 16 bytes after its sign or is not a plain decimal; then the caller
// calls parse_number(). Reads nothing before `readable`; it is fastest with at least eight bytes
// there. Requires: readable <= text.data().
inline bool parse_number_fast(const char* readable, std::string_view text, Number& number) {
  if (text.empty()) return false;
  const bool negative = text.front() == '-';
  const size_t size = text.size() - (negative || text.front() == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  if (size - 1 >= 16) return false;
  const bool read = size <= 8 ? fast_number::read_unsigned<uint64_t>(readable, end, size, number)
                              : fast_number::read_unsigned<Uint128>(readable, end, size, number);
  if (!read) return false;
  number.mantissa = negative ? -number.mantissa : number.mantissa;
  return true;
}

}  // namespace statmill
