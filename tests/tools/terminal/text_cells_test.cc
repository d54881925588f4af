#include "tools/statmill/terminal/text_cells.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("负载"), 4U);
  EXPECT_EQ(display_width("\x1b"), 8U);
}

TEST(Shorten, CutsAtACharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 5), "abcd…");
  EXPECT_EQ(shorten("负载负载", 6), "负载…");
  EXPECT_EQ(shorten("负载负载", 2), "…");
  EXPECT_EQ(shorten("abc", 0), "");
}

}  // namespace
}  // namespace statmill
