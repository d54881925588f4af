#include "server/names/token_set.h"

#include <array>
#include <bit>

#include "base/bytes16.h"

namespace statmill {
namespace {

// Bit i is set if tokens[i] is `token`.
template <class T>
uint64_t equal_mask(const T* tokens, T token) {
  std::array<uint8_t, 64> equal;
  for (size_t i = 0; i < equal.size(); ++i) equal[i] = tokens[i] == token ? 0xff : 0;
  uint64_t mask = 0;
  for (size_t i = 0; i < equal.size(); i += 16) {
    const auto lane = std::bit_cast<Mask16>(bytes16_at(reinterpret_cast<const char*>(equal.data()) + i));
    mask |= bits_of(lane) << i;
  }
  return mask;
}

// Calls `mask_of(tokens)` with 64 rows at a time, and keeps the rows of the mask that it returns. At the end
// of a segment, where fewer rows are left, calls `is_in(token)` for each.
template <class T, class MaskOf, class IsIn>
void keep_by_mask(const NameBlock& block, const T* tokens, RowBits& bits, MaskOf mask_of, IsIn is_in) {
  tokens += block.begin;
  for (uint32_t w = 0; w < block.words(); ++w) {
    if (bits[w] == 0) continue;
    if (64 * w + 64 <= block.count && std::popcount(bits[w]) > 8) {
      bits[w] &= mask_of(tokens + 64 * w);
      continue;
    }
    for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
      if (!is_in(tokens[64 * w + static_cast<uint32_t>(std::countr_zero(left))]))
        bits[w] &= ~(left & (~left + 1));
    }
  }
}

}  // namespace

void keep_tokens(const NameBlock& block, size_t column, const TokenSet& set, RowBits& bits) {
  if (set.form == TokenSet::Form::kAll) return;
  if (set.form == TokenSet::Form::kNone) {
    bits = {};
    return;
  }
  block.segment.with_column(column, [&]<class T>(const T* tokens) {
    if (set.form == TokenSet::Form::kSome) {
      const uint8_t* const is_in = set.is_in.data();
      const auto mask_of = [is_in](const T* at) {
        uint64_t mask = 0;
        for (uint32_t i = 0; i < 64; ++i) mask |= uint64_t{is_in[at[i]]} << i;
        return mask;
      };
      keep_by_mask(block, tokens, bits, mask_of, [is_in](T token) { return is_in[token] != 0; });
      return;
    }
    const bool wants = set.form == TokenSet::Form::kOne;
    const auto one = static_cast<T>(set.token);
    if (one != set.token) {  // no row of the segment has the token
      if (wants) bits = {};
      return;
    }
    const auto mask_of = [one, wants](const T* at) {
      return wants ? equal_mask(at, one) : ~equal_mask(at, one);
    };
    keep_by_mask(block, tokens, bits, mask_of, [=](T token) { return (token == one) == wants; });
  });
}

}  // namespace statmill
