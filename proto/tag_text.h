// Fast scanning and copying of the texts of tags, shared by the code that reads and writes tags of names.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes16.h"
#include "proto/line_text.h"

namespace statmill {

// Finds where the keys and values of a text end, 64 bytes at a time. A blank, `!`, `$` and `%` end both: what
// has one of them may have to be escaped (all but `$`, which the cheapest test does not tell from `%`).
template <char kSeparator, char kAssign>
class TagEnds {
 public:
  explicit TagEnds(std::string_view text) : begin_(text.data()), end_(begin_ + text.size()) { scan(begin_); }

  // Return the first byte from `at` on that is not allowed in a key or in a value, or the end of the text.
  // Requires: `at` is at most one byte after the last result, or where the search was moved.
  const char* key_end(const char* at) { return next(key_ends_, at); }
  const char* value_end(const char* at) { return next(value_ends_, at); }
  // Continues the search at `at`.
  void move_to(const char* at) { scan(at); }

 private:
  static constexpr int kBlock = 64;

  const char* next(const uint64_t& ends, const char* at) {
    const uint64_t found = at - block_ < kBlock ? ends >> (at - block_) : 0;
    return found != 0 ? at + std::countr_zero(found) : next_block(ends);
  }
  [[gnu::noinline]] const char* next_block(const uint64_t& ends) {
    do {
      scan(block_ + kBlock);
    } while (ends == 0);
    return block_ + std::countr_zero(ends);
  }

  void scan(const char* block) {
    block_ = block;
    const std::ptrdiff_t left = end_ - block;
    uint64_t value_ends = left < kBlock ? ~uint64_t{0} << left : 0;
    uint64_t key_ends = value_ends;
    for (int i = 0; i < kBlock && i < left; i += 16) {
      const Lane16 lane = lane16_at(begin_, block + i, end_);
      const Mask16 ends_value = (lane.bytes == sixteen(kSeparator)) | (lane.bytes == sixteen(';')) |
                                ((lane.bytes & 0xfa) == sixteen(' '));
      const Mask16 ends_key = ends_value | (lane.bytes == sixteen(kAssign)) | (lane.bytes == sixteen('=')) |
                              (lane.bytes == sixteen('^'));
      value_ends |= lane.bits(ends_value) << i;
      key_ends |= lane.bits(ends_key) << i;
    }
    value_ends_ = value_ends;
    key_ends_ = key_ends;
  }

  const char* const begin_;
  const char* const end_;
  const char* block_ = nullptr;  // the block that the masks describe
  uint64_t key_ends_ = 0;        // one bit per byte; all bits after the end of the text are set
  uint64_t value_ends_ = 0;      // the same for values
};

// Returns the first eight bytes of a text, the first one highest, padded with zeros. Requires: the text is in
// [begin, end), which is readable.
inline uint64_t head_of(std::string_view text, const char* begin, const char* end) {
  if (text.empty()) return 0;
  const uint64_t head = __builtin_bswap64(word_at(begin, text.data(), end));
  const int padding = 64 - 8 * std::min(static_cast<int>(text.size()), 8);
  return head >> padding << padding;
}
inline uint64_t head_of(std::string_view text) {
  return head_of(text, text.data(), text.data() + text.size());
}

// Copies a word at a time; the last word may overlap the one before. Returns the end of the copy.
template <size_t kWordBytes>
char* copy_words(std::string_view text, char* to) {
  const char* const last = text.data() + text.size() - kWordBytes;
  char* const to_last = to + text.size() - kWordBytes;
  for (const char* at = text.data(); at < last; at += kWordBytes, to += kWordBytes) {
    std::memcpy(to, at, kWordBytes);
  }
  std::memcpy(to_last, last, kWordBytes);
  return to_last + kWordBytes;
}

// Cheaper than a call of memcpy for texts of a few bytes.
inline char* copy_short(std::string_view text, char* to) {
  if (text.size() >= 16) return copy_words<16>(text, to);
  if (text.size() >= 8) return copy_words<8>(text, to);
  if (text.size() >= 4) return copy_words<4>(text, to);
  for (const char c : text) *to++ = c;
  return to;
}

}  // namespace statmill
