#include "tools/statmill/terminal/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Key text(std::string_view character) { return {KeyName::kText, std::string(character)}; }

TEST(KeyParser, KnowsWhatTerminalsSend) {
  struct Case {
    std::string_view bytes;
    std::vector<Key> want;
    std::string_view why;
  };
  const Case cases[] = {
      {"aß", {text("a"), text("ß")}, "characters"},
      {"\x1b[A\x1b[B\x1b[C\x1b[D",
       {{KeyName::kUp}, {KeyName::kDown}, {KeyName::kRight}, {KeyName::kLeft}},
       "arrows"},
      {"\x1bOA\x1bOB", {{KeyName::kUp}, {KeyName::kDown}}, "arrows in application mode"},
      {"\x1b[1;5A", {{KeyName::kUp}}, "with Ctrl"},
      {"\x1b[5~\x1b[6~", {{KeyName::kPageUp}, {KeyName::kPageDown}}, "pages"},
      {"\x1b[H\x1b[F\x1b[1~\x1b[4~",
       {{KeyName::kHome}, {KeyName::kEnd}, {KeyName::kHome}, {KeyName::kEnd}},
       "ends"},
      {"\r\n\t\x7f\b",
       {{KeyName::kEnter}, {KeyName::kEnter}, {KeyName::kTab}, {KeyName::kBackspace}, {KeyName::kBackspace}},
       "controls"},
      {"\x03\x1a\x0c",
       {{KeyName::kInterrupt}, {KeyName::kSuspend}, {KeyName::kRedraw}},
       "Ctrl-C, Ctrl-Z, Ctrl-L"},
      {"\x1bj", {{KeyName::kEscape}, text("j")}, "escape, then a key"},
      {"\x1b[99~\x1b[200~x", {text("x")}, "unknown sequences"},
      {"\xff\x01x", {text("x")}, "bytes that are no key"},
  };
  for (const Case& c : cases) EXPECT_EQ(KeyParser().parse(c.bytes), c.want) << c.why;
}

TEST(KeyParser, JoinsPieces) {
  KeyParser keys;
  EXPECT_THAT(keys.parse("\x1b"), IsEmpty());
  EXPECT_TRUE(keys.is_waiting());
  EXPECT_THAT(keys.parse("["), IsEmpty());
  EXPECT_THAT(keys.parse("A"), ElementsAre(Key{KeyName::kUp}));
  EXPECT_FALSE(keys.is_waiting());
  EXPECT_THAT(keys.parse("\xe8\xb4"), IsEmpty());
  EXPECT_THAT(keys.parse("\x9f"), ElementsAre(text("负")));
}

TEST(KeyParser, AnEscapeByteAloneIsAKeyWhenNothingFollows) {
  KeyParser keys;
  EXPECT_THAT(keys.parse("\x1b"), IsEmpty());
  EXPECT_THAT(keys.flush(), ElementsAre(Key{KeyName::kEscape}));
  EXPECT_THAT(keys.flush(), IsEmpty());
  EXPECT_FALSE(keys.is_waiting());
}

// The keys do not depend on how the bytes are cut, and what waits is bounded.
TEST(KeyParser, IsTheSameForAnyPieces) {
  std::mt19937_64 random(3);
  const std::string alphabet = "\x1b\x1b[[O~A5;1a\xe8\xb4\x9f\xff\r\x03";
  for (int run = 0; run < 5000; ++run) {
    std::string bytes;
    for (uint64_t i = random() % 60; i > 0; --i) bytes += alphabet[random() % alphabet.size()];
    KeyParser whole;
    const std::vector<Key> want = whole.parse(bytes);
    KeyParser pieces;
    std::vector<Key> got;
    for (size_t at = 0; at < bytes.size();) {
      const size_t size = 1 + random() % 5;
      for (Key& key : pieces.parse(bytes.substr(at, size))) got.push_back(std::move(key));
      at += size;
    }
    ASSERT_EQ(got, want) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace statmill
