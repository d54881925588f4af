#include "tools/statmill/terminal/text_cells.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(Visible, ShowsCharactersWithoutColumns) {
  struct Case {
    std::string_view text;
    std::string_view want;
    std::string_view why;
  };
  const Case cases[] = {
      {"host.web1;dc=a", "host.web1;dc=a", "ASCII"},
      {"größe 负载 🙂", "größe 负载 🙂", "letters and pictures"},
      {"\x1b[31m", "<U+001B>[31m", "an escape sequence"},
      {"\u009b31m", "<U+009B>31m", "an escape sequence of one character"},
      {"a\x7f\r\n", "a<U+007F><U+000D><U+000A>", "controls"},
      {"\u202egpj", "<U+202E>gpj", "the direction of writing"},
      {"a\u200bb\ufeff", "a<U+200B>b<U+FEFF>", "no width"},
      {"e\u0301", "e<U+0301>", "a combining mark"},
      {"a\u00ad\u2028\U000110bd\U000e0041", "a<U+00AD><U+2028><U+110BD><U+E0041>", "hidden characters"},
      {"\xff\xc0\xafx", "<xFF><xC0><xAF>x", "no UTF-8"},
      {"\xe4\xb8", "<xE4><xB8>", "cut UTF-8"},
  };
  for (const Case& c : cases) EXPECT_EQ(visible(c.text), c.want) << c.why;
}

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
