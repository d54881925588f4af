// Short numbers, as nearly all are: digits with at most one point and a sign, all of them read at once and
// without a branch on what they are.
//
// The text stands right-aligned in a word, its last byte on top, so that lines of different digits go the
// same way: what a byte loop costs is above all the mispredicted end of each loop. Digits become an integer
// by the usual three multiplications of neighbours (pairs, fours, eights).
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

namespace short_number {

inline constexpr uint64_t kEachByte = 0x0101010101010101;

// The eight bytes before `end`, the last one on top; zeros for those before `readable`, which are not read.
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

// Of eight digits, each a byte from 0 to 9, the most significant lowest.
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

// How many of the last digits are 0.
inline int zeros_behind(uint64_t digits) { return std::countl_zero(digits) / 8; }
inline int zeros_behind(Uint128 digits) {
  const auto high = static_cast<uint64_t>(digits >> 64);
  return high != 0 ? zeros_behind(high) : 8 + zeros_behind(static_cast<uint64_t>(digits));
}

inline int lowest_bit(uint64_t word) { return std::countr_zero(word); }
inline int lowest_bit(Uint128 word) {
  const auto low = static_cast<uint64_t>(word);
  return low != 0 ? lowest_bit(low) : 64 + lowest_bit(static_cast<uint64_t>(word >> 64));
}

// The last `size` bytes before `end`, without sign. Requires: 1 <= size <= sizeof(Word).
template <class Word>
bool read_unsigned(const char* readable, const char* end, size_t size, Number& number) {
  constexpr int kBytes = sizeof(Word);
  constexpr Word kEach =
      sizeof(Word) == 8 ? Word{kEachByte} : static_cast<Word>((Uint128{kEachByte} << 64) | kEachByte);
  constexpr uint8_t kPoint = '.' ^ '0';
  // Digits become 0 to 9, and so do the bytes in front of the text.
  Word digits = text_before<Word>(readable, end) ^ kEach * '0';
  digits &= ~Word{0} << (8 * (sizeof(Word) - size));
  // A one in each byte that is no digit: there may be one, and it must be the point. (A byte over 127 may
  // carry into the next, which is then one too many: such a text is none anyway.)
  const Word point = (((digits + kEach * (0x7f - 9)) | digits) & kEach * 0x80) >> 7;
  digits ^= point * kPoint;
  if ((point & (point - 1)) != 0 || (digits & point * 0xff) != 0) return false;
  const bool has_point = point != 0;
  if (size == size_t{has_point}) return false;
  // Those in front of the point move up into its place.
  const Word in_front = point - Word{has_point};
  digits = (digits & ~in_front) | (digits & in_front) << 8;
  const int fraction = has_point ? kBytes - 1 - lowest_bit(point) / 8 : 0;
  const int zeros = std::min(fraction, zeros_behind(digits));
  digits <<= 8 * zeros;
  const uint64_t mantissa = integer_of(digits);
  if constexpr (sizeof(Word) > 8) {
    if (mantissa > static_cast<uint64_t>(Number::kMantissaMax)) return false;
  }
  number.mantissa = static_cast<int64_t>(mantissa);
  number.scale = static_cast<int8_t>(fraction - zeros);
  return true;
}

}  // namespace short_number

// Reads the whole text, as parse_number(); false, and the number is unchanged, when it is of more than 16
// bytes behind its sign, or no such number: parse_number() knows then. Reads nothing before `readable`, which
// had best be eight bytes before the text or more. Requires: readable <= text.data().
inline bool read_short_number(const char* readable, std::string_view text, Number& number) {
  if (text.empty()) return false;
  const bool negative = text.front() == '-';
  const size_t size = text.size() - (negative || text.front() == '+' ? 1 : 0);
  const char* const end = text.data() + text.size();
  if (size - 1 >= 16) return false;
  const bool read = size <= 8 ? short_number::read_unsigned<uint64_t>(readable, end, size, number)
                              : short_number::read_unsigned<Uint128>(readable, end, size, number);
  if (!read) return false;
  number.mantissa = negative ? -number.mantissa : number.mantissa;
  return true;
}

}  // namespace statmill
