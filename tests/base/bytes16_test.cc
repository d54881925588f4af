#include "base/bytes16.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(Bytes16, BitsHaveTheOrderOfTheBytes) {
  const std::string text = "a.......a......a";
  EXPECT_EQ(bits_of(bytes16_at(text.data()) == sixteen('a')), 0x8101U);
}

TEST(Bytes16, LanesNearTheEndHaveTheRemainingBytes) {
  for (size_t size = 1; size <= 40; ++size) {
    std::vector<char> text(size);  // exactly that size, so that sanitizers detect reads outside
    for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('0' + i);
    for (size_t at = 0; at < size; ++at) {
      const Lane16 lane = lane16_at(text.data(), text.data() + at, text.data() + size);
      for (size_t i = 0; at + i < size && i < 16; ++i)
        EXPECT_EQ(lane.bits(lane.bytes == sixteen(text[at + i])) & 0xffff, uint64_t{1} << i) << size << at;
    }
  }
}

TEST(Bytes16, FindsTheFirstMatchAtAnyPosition) {
  for (size_t size = 0; size <= 70; ++size) {
    for (size_t place = 0; place <= size; ++place) {
      std::vector<char> text(size, '.');
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(place), text.end(), 'x');
      const auto is_x = [](Bytes16 bytes) -> Mask16 { return bytes == sixteen('x'); };
      const char* const begin = text.data();
      for (size_t from = 0; from <= size; ++from) {
        const char* const found = find_first(begin, begin + from, begin + size, is_x);
        EXPECT_EQ(found - begin, static_cast<std::ptrdiff_t>(std::max(from, place))) << size;
      }
    }
  }
}

TEST(Bytes16, FindsNothingPastTheEndOfAShortText) {
  const auto is_zero = [](Bytes16 bytes) -> Mask16 { return bytes == sixteen('\0'); };
  const std::string text = "abc";
  EXPECT_EQ(find_first(text.data(), text.data(), text.data() + 3, is_zero), text.data() + 3);
}

TEST(Bytes16, ComparesEveryByte) {
  for (size_t size = 0; size <= 70; ++size) {
    const std::vector<char> a(size, 'a');
    EXPECT_TRUE(are_same_bytes(a.data(), std::vector<char>(size, 'a').data(), size)) << size;
    for (size_t place = 0; place < size; ++place) {
      std::vector<char> b(a);
      b[place] = 'b';
      EXPECT_FALSE(are_same_bytes(a.data(), b.data(), size)) << size << " at " << place;
    }
  }
}

}  // namespace
}  // namespace statmill
