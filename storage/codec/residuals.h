// Residuals: what predictors leave over: unsigned numbers, most of them small, <-> bits.
//
// The list is cut into 2^order equal parts. Each part is encoded in the cheapest way: no bits if all numbers
// are zero; Rice codes with one parameter; or, if most are zero, the gaps between the others. The encoder
// knows all numbers, so it chooses parts and parameters instead of adapting: within 1 % of the entropy of
// Laplacian and Gaussian residuals, and the decoder's loop has no state but the position.
#pragma once

#include <cstdint>
#include <span>

#include "storage/codec/bits.h"

namespace statmill {

void encode_residuals(BitWriter& out, std::span<const uint64_t> numbers);

// Returns false if no encoder writes such bits; never reads or writes out of bounds.
bool decode_residuals(BitReader& in, std::span<uint64_t> numbers);

// One Rice code: number >> k in unary, then its k low bits; from kUnaryMax on, the number in full.
// Requires: k < 64.
inline constexpr int kUnaryMax = 20;

inline void put_rice(BitWriter& out, uint64_t number, int k) {
  const uint64_t unary = number >> k;
  const uint64_t low = number & ((uint64_t{1} << k) - 1);
  const auto zeros = static_cast<int>(std::min<uint64_t>(unary, kUnaryMax));
  if (zeros + 1 + k <= BitWriter::kBitsMax && zeros < kUnaryMax) [[likely]] {
    return out.put((low << 1 | 1) << zeros, zeros + 1 + k);
  }
  out.put(zeros < kUnaryMax ? uint64_t{1} << zeros : 0, zeros < kUnaryMax ? zeros + 1 : kUnaryMax);
  if (zeros < kUnaryMax) return out.put_wide(low, k);
  out.put_number(number);
}

[[gnu::always_inline]] inline uint64_t get_rice(BitReader& in, int k) {
  const uint64_t word = in.peek();
  const int zeros = std::countr_zero(word | uint64_t{1} << kUnaryMax);
  if (zeros + 1 + k <= BitWriter::kBitsMax && zeros < kUnaryMax) [[likely]] {
    in.skip(zeros + 1 + k);
    return static_cast<uint64_t>(zeros) << k | (word >> (zeros + 1) & ((uint64_t{1} << k) - 1));
  }
  in.skip(zeros < kUnaryMax ? zeros + 1 : kUnaryMax);
  if (zeros == kUnaryMax) return in.get_number();
  return static_cast<uint64_t>(zeros) << k | in.get_wide(k);
}

// The length of the code in bits.
inline uint64_t rice_bits(uint64_t number, int k) {
  const uint64_t unary = number >> k;
  if (unary < kUnaryMax) return unary + 1 + static_cast<uint64_t>(k);
  return uint64_t{kUnaryMax} + 6 + static_cast<uint64_t>(width_of(number));
}

}  // namespace statmill
