#include "base/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  const Result<Glob> glob = Glob::parse(pattern);
  EXPECT_TRUE(glob) << pattern;
  return glob && glob->matches(name);
}

struct Case {
  std::string pattern;
  std::string name;
  bool want;
  std::string why;
};

TEST(Glob, MatchesAsDocumented) {
  const std::vector<Case> table = {
      {"a.b", "a.b", true, "a plain name is itself"},
      {"a.b", "axb", false, "a dot is a dot"},
      {"a.b", "a.bc", false, "the whole name"},
      {"a.b", "A.b", false, "case counts"},
      {"*", "", true, "a star may be nothing"},
      {"*", "a.b.c", true, "a star takes dots"},
      {"a.*", "a.", true, "nothing after the dot"},
      {"a.*", "a", false, "the dot must be there"},
      {"*.c", "a.b.c", true, "star in front"},
      {"a*c", "abcbc", true, "the star takes the first c"},
      {"a**c", "ac", true, "two stars are one"},
      {"?", "a", true, "one byte"},
      {"?", "", false, "not none"},
      {"a?b", "a.b", false, "but no dot"},
      {"?", "\xff", true, "any byte else"},
      {"[abc]", "b", true, "set"},
      {"[abc]", "d", false, "not in the set"},
      {"[a-c]x", "bx", true, "range"},
      {"[a-c]", "-", false, "the hyphen of a range is no member"},
      {"[a-]", "-", true, "a last hyphen is"},
      {"[-a]", "-", true, "so is a first one"},
      {"[!a-c]", "d", true, "not in the set"},
      {"[!a-c]", "b", false, "in the set"},
      {"[!a]", ".", true, "a set may hold dots"},
      {"[]a]", "]", true, "] in front is a member"},
      {"[!]]", "]", false, "also after !"},
      {"[*?]", "*", true, "no meaning inside a set"},
      {"[*?]", "a", false, "no meaning inside a set"},
      {"[c-a]", "b", false, "a range upside down is empty"},
      {"[a-\xff]", "\xc3", true, "bytes above 127 come after the letters"},
      {"[!a-\xff]", "\xc3", false, "bytes above 127 come after the letters"},
      {"]", "]", true, "a lone ] is itself"},
      {"}", "}", true, "a lone } is itself"},
      {"{a,b}", "b", true, "either"},
      {"{a,b}", "c", false, "neither"},
      {"{a,}x", "x", true, "or nothing"},
      {"{}x", "x", true, "nothing at all"},
      {"x{a*,b?}y", "xbcy", true, "patterns inside"},
      {"{a,b}.{c,d}", "b.c", true, "two choices multiply"},
      {"a,b", "a,b", true, "a comma outside is itself"},
      {"\\*", "\\anything", true, "nothing escapes"},
      {"ab*bc", "abc", false, "the ends may not share a byte"},
      {"*ab*b*", "ab", false, "nor may the parts between"},
      {"*a?*?b", "axyb", true, "parts with ? move along"},
      {"[*]*[*]", "*x*", true, "a star in a set cuts nothing"},
  };
  for (const Case& c : table)
    EXPECT_EQ(matches(c.pattern, c.name), c.want) << c.pattern << " " << c.name << ": " << c.why;
}

TEST(Glob, RefusesInvalidPatterns) {
  std::string sixty_four;  // 2^6 alternatives
  for (int i = 0; i < 6; ++i) sixty_four.append("{a,b}");
  const std::vector<std::pair<std::string, ErrorCode>> table = {
      {"", ErrorCode::kInvalid},
      {"[a", ErrorCode::kInvalid},
      {"[]", ErrorCode::kInvalid},
      {"[!]", ErrorCode::kInvalid},
      {"{a", ErrorCode::kInvalid},
      {"{a,{b}}", ErrorCode::kInvalid},
      {"{[,]}", ErrorCode::kInvalid},
      {std::string(Glob::kPatternBytesMax + 1, 'a'), ErrorCode::kLimit},
      {sixty_four + "{a,b}", ErrorCode::kLimit},
  };
  for (const auto& [pattern, code] : table) {
    const Result<Glob> glob = Glob::parse(pattern);
    ASSERT_FALSE(glob) << pattern;
    EXPECT_EQ(glob.error().code, code) << pattern;
  }
  EXPECT_TRUE(Glob::parse(sixty_four));
  EXPECT_TRUE(Glob::parse(std::string(Glob::kPatternBytesMax, 'a')));
}

TEST(Glob, DistinguishesPatternsFromNames) {
  for (const std::string_view text : {"*", "a?", "[a]", "{a,b}", "a{"})
    EXPECT_TRUE(Glob::is_pattern(text)) << text;
  for (const std::string_view text : {"", "a.b", "a]", "a}", "a,b", "\\"})
    EXPECT_FALSE(Glob::is_pattern(text)) << text;
}

TEST(Glob, FindsTheLongestLiteral) {
  struct Want {
    std::string pattern;
    std::string text;
    bool at_start;
    bool at_end;
  };
  const std::vector<Want> table = {
      {"a.b", "a.b", true, true},          {"*", "", false, false},
      {"??[ab]", "", false, false},        {"*.web1.*", ".web1.", false, false},
      {"dc1.*", "dc1.", true, false},      {"*latency", "latency", false, true},
      {"*7*9*", "7", false, false},        {"host?.x", "host", true, false},
      {"?host", "host", false, true},      {"a*b", "a", true, false},
      {"*ab*cd", "cd", false, true},       {"*abc*cd", "abc", false, false},
      {"a?bcd[x]ef", "bcd", false, false}, {"[a]b[*]cd*", "cd", false, false},
      {"***a**", "a", false, false},       {"]}", "]}", true, true},
  };
  for (const Want& want : table) {
    const GlobLiteral got = Glob::parse(want.pattern)->alternatives()[0].literal();
    EXPECT_EQ(got.text, want.text) << want.pattern;
    EXPECT_EQ(got.at_start, want.at_start) << want.pattern;
    EXPECT_EQ(got.at_end, want.at_end) << want.pattern;
  }
  const Glob braces = *Glob::parse("{a,b*}c");
  ASSERT_EQ(braces.alternatives().size(), 2U);
  EXPECT_EQ(braces.alternatives()[0].literal().text, "ac");
  EXPECT_EQ(braces.alternatives()[1].literal().text, "b");
}

TEST(Glob, KeepsItsText) { EXPECT_EQ(Glob::parse("a.{b,c}.*")->text(), "a.{b,c}.*"); }

TEST(Glob, MatchesManyStarsInReasonableTime) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern.append("a*");
  // A matcher that backtracks to every star would take longer than the age of the universe.
  EXPECT_FALSE(matches(pattern + "b", std::string(10'000, 'a')));
  EXPECT_TRUE(matches(pattern, std::string(10'000, 'a')));
}

// A matcher that is simple enough to be obviously right: it expands braces one choice at a time, and recurses
// for each byte and star.
bool simple_match(std::string_view p, std::string_view n) {
  if (p.empty()) return n.empty();
  if (p[0] == '{') {
    const size_t close = p.find('}');
    std::string_view choices = p.substr(1, close - 1);
    while (true) {
      const size_t comma = choices.find(',');
      if (simple_match(std::string(choices.substr(0, comma)) + std::string(p.substr(close + 1)), n))
        return true;
      if (comma == std::string_view::npos) return false;
      choices.remove_prefix(comma + 1);
    }
  }
  if (p[0] == '*') return simple_match(p.substr(1), n) || (!n.empty() && simple_match(p, n.substr(1)));
  if (n.empty()) return false;
  if (p[0] == '?') return n[0] != '.' && simple_match(p.substr(1), n.substr(1));
  if (p[0] == '[') {
    const bool negated = p[1] == '!';
    const size_t close = p.find(']');
    const std::string_view range = p.substr(negated ? 2 : 1, close - (negated ? 2 : 1));  // one byte or a-b
    const bool inside = range.front() <= n[0] && n[0] <= range.back();
    return inside != negated && simple_match(p.substr(close + 1), n.substr(1));
  }
  return p[0] == n[0] && simple_match(p.substr(1), n.substr(1));
}

RC_GTEST_PROP(Glob, AgreesWithASimpleMatcher, ()) {
  const auto piece = rc::gen::weightedElement<std::string>({{6, "a"},
                                                            {6, "b"},
                                                            {4, "."},
                                                            {4, "*"},
                                                            {3, "?"},
                                                            {2, "[a]"},
                                                            {2, "[!b]"},
                                                            {1, "[a-c]"},
                                                            {1, "{a,b}"},
                                                            {1, "{,*b,[!a]?}"}});
  const auto pieces =
      *rc::gen::resize(9, rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(piece)));
  std::string pattern;
  for (const std::string& p : pieces) pattern.append(p);
  const Result<Glob> glob = Glob::parse(pattern);
  RC_PRE(glob.has_value());  // too many alternatives
  const auto names = *rc::gen::container<std::vector<std::string>>(
      100, rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', '.'))));
  for (const std::string& name : names) {
    RC_ASSERT(glob->matches(name) == simple_match(pattern, name));
    for (const GlobAlternative& alternative : glob->alternatives()) {
      const GlobLiteral literal = alternative.literal();
      if (!alternative.matches(name)) continue;
      RC_ASSERT(name.find(literal.text) != std::string::npos);
      RC_ASSERT(!literal.at_start || name.starts_with(literal.text));
      RC_ASSERT(!literal.at_end || name.ends_with(literal.text));
    }
  }
}

}  // namespace
}  // namespace statmill
