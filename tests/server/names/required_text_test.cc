// required_text() and TokenDictionary::for_each_with(), which make searches for regular expressions short.
#include "server/names/required_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "server/names/token_dictionary.h"

namespace statmill {
namespace {

using Token = TokenDictionary::Token;

TEST(RequiredText, IsTheLongestOneOutsideOfWhatMayDiffer) {
  struct Case {
    std::string expression, want, why;
  };
  for (const auto& [expression, want, why] : std::vector<Case>{
           {"path-.*99.9", "path-", "the longest"},
           {"ab.cd", "cd", "the last of two"},
           {"abc*de", "de", "c may be missing"},
           {"abc?d", "ab", "so may it here"},
           {"abc{0,2}d", "ab", "and here"},
           {"ab+c", "ab", "there is at least one b"},
           {"ab+?c", "ab", "also if it is lazy"},
           {R"(10\.0\.0\.[0-9]+)", "10.0.0.", "escaped punctuation"},
           {R"(\d+abc\w)", "abc", "classes"},
           {"prod-(eu|us)-[^]ab]x", "prod-", "groups and sets are left out"},
           {"(?:abcdef)gh", "gh", "also groups without a number"},
           {"ab(c(d|e)f)*gh*", "ab", "groups in groups"},
           {"caf\xc3\xa9*abc", "abc", "a character of two bytes may be missing"},
           {"^abc$", "abc", "anchors"},
           {"", "", "nothing"},
           {".*", "", "nothing plain"},
           {"abc|abd", "", "alternatives"},
           {"(?i)abc", "", "no case"},
           {"a(?i:abc)d", "", "no case in a group"},
           {R"(\babc)", "", "an assertion"},
           {R"(\x61bc)", "", "a code"},
           {R"(\Qa.b\E)", "", "a quotation"},
           {"[[:alpha:]]abc", "", "a class in a set"},
           {"abc{2,}de", "de", "a repetition without an end"},
           {"a{b|web}1", "", "a brace that is a text, before alternatives"},
           {"x{(}abc)?y", "", "or before a group"},
           {"x{(?i)ab}cd", "", "or before a flag"},
           {"ab{1,x}cd", "", "or before what is no number"},
           {"abc{", "", "or at the end"},
       })
    EXPECT_EQ(required_text(expression), want) << expression << ": " << why;
}

TEST(TokenDictionary, FindsTheTextsThatContainALiteral) {
  std::mt19937 random(1);
  const KeyedHash hash;
  RetiredMemory retired;
  TokenDictionary dictionary(hash, retired);
  // Sizes of 49 and 50 bytes are the characters 1 and 2 in memory.
  for (size_t i = 0; i < 20'000; ++i) {
    std::string text(random() % 8 == 0 ? 44 + random() % 8 : random() % 300 == 0 ? 700 : random() % 9, ' ');
    for (char& c : text) c = static_cast<char>('1' + random() % 3);
    dictionary.intern(text);
  }
  for (const char* const literal :
       {"1", "12", "111", "2121", "12312", "1231231", "22222222", "13131313131", "x"}) {
    std::vector<Token> want;
    for (Token token = 0; token < dictionary.count(); ++token) {
      if (dictionary.text(token).find(literal) != std::string_view::npos) want.push_back(token);
    }
    std::vector<Token> found;
    dictionary.for_each_with(literal, [&](Token token) { found.push_back(token); });
    EXPECT_EQ(found, want) << literal;
  }
}

TEST(TokenDictionary, FindsNothingInNoTexts) {
  const KeyedHash hash;
  RetiredMemory retired;
  const TokenDictionary dictionary(hash, retired);
  dictionary.for_each_with("a", [](Token) { FAIL(); });
}

}  // namespace
}  // namespace statmill
