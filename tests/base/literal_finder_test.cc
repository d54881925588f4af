#include "base/literal_finder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace statmill {
namespace {

std::vector<size_t> places(const std::string& literal, std::string_view text, size_t limit = SIZE_MAX) {
  std::vector<size_t> out;
  LiteralFinder(literal).for_each(text, [&](size_t at) {
    out.push_back(at);
    return out.size() < limit;
  });
  return out;
}

std::vector<size_t> plain_places(const std::string& literal, std::string_view text) {
  std::vector<size_t> out;
  for (size_t at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at + 1))
    out.push_back(at);
  return out;
}

TEST(LiteralFinder, FindsOverlappingOccurrencesInOrderUntilStopped) {
  EXPECT_EQ(places("aa", "aaaa"), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(places("aa", "aaaa", 2), (std::vector<size_t>{0, 1}));
  const std::string many(300, 'a');
  EXPECT_EQ(places("a", many, 70).size(), 70U);
  EXPECT_EQ(places("b", ""), std::vector<size_t>{});
  EXPECT_EQ(places("abc", "ab"), std::vector<size_t>{});
}

// The text ends where its memory ends, so AddressSanitizer detects reads past the end.
TEST(LiteralFinder, FindsASingleOccurrenceAtAnyPosition) {
  for (const std::string& literal :
       std::vector<std::string>{"x", "xy", "x.y", ".x9", "\nx.", std::string(70, 'x') + "y"}) {
    for (size_t size = literal.size(); size < 200; size += 7) {
      for (size_t at = 0; at + literal.size() <= size; ++at) {
        std::vector<char> text(size, '-');
        std::copy(literal.begin(), literal.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
        ASSERT_EQ(places(literal, {text.data(), text.size()}), std::vector<size_t>{at}) << size;
      }
    }
  }
}

TEST(LiteralFinder, FindsAnyBytes) {
  const std::string text("\0\xff\x80\0\xff", 5);
  EXPECT_EQ(places(std::string("\0\xff", 2), text), (std::vector<size_t>{0, 3}));
  EXPECT_EQ(places("\x80", text), std::vector<size_t>{2});
}

RC_GTEST_PROP(LiteralFinder, AgreesWithStringFind, ()) {
  const auto byte = rc::gen::element('a', 'b', '.', '1', '\n');
  const auto literal = *rc::gen::resize(5, rc::gen::nonEmpty(rc::gen::container<std::string>(byte)));
  const auto text = *rc::gen::resize(400, rc::gen::container<std::string>(byte));
  RC_ASSERT(places(literal, text) == plain_places(literal, text));
}

}  // namespace
}  // namespace statmill
