#include "base/visible.h"

#include <gtest/gtest.h>

#include <string_view>

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

TEST(Visible, LinesKeepTheirEnds) {
  EXPECT_EQ(visible_lines("a\x1b\nb\r\n\tc\n"), "a<U+001B>\nb<U+000D>\n<U+0009>c\n");
  EXPECT_EQ(visible_lines(""), "");
}

}  // namespace
}  // namespace statmill
