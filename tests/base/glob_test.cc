#include "base/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/base/random_glob.h"

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
      {"a.b", "a.b", true, "a plain byte matches itself"},
      {"a.b", "axb", false, "a dot matches only a dot"},
      {"a.b", "a.bc", false, "the pattern covers the whole name"},
      {"a.b", "A.b", false, "case matters"},
      {"*", "", true, "a star matches nothing, too"},
      {"*", "a.b.c", true, "a star matches dots"},
      {"a.*", "a.", true, "the star matches nothing"},
      {"a.*", "a", false, "the dot is required"},
      {"*.c", "a.b.c", true, "star at the start"},
      {"a*c", "abcbc", true, "the first c is not the last one"},
      {"a**c", "ac", true, "two stars are like one"},
      {"?", "a", true, "one byte"},
      {"?", "", false, "exactly one byte"},
      {"a?b", "a.b", false, "? does not match a dot"},
      {"?", "\xff", true, "? matches any other byte"},
      {"[abc]", "b", true, "in the set"},
      {"[abc]", "d", false, "not in the set"},
      {"[a-c]x", "bx", true, "in the range"},
      {"[a-c]", "-", false, "the hyphen of a range is not a member"},
      {"[a-]", "-", true, "a hyphen at the end is a member"},
      {"[-a]", "-", true, "a hyphen at the start is a member"},
      {"[!a-c]", "d", true, "not in the negated set"},
      {"[!a-c]", "b", false, "in the negated set"},
      {"[!a]", ".", true, "a set may match dots"},
      {"[]a]", "]", true, "a ] at the start is a member"},
      {"[!]]", "]", false, "also after !"},
      {"[*?]", "*", true, "* and ? are plain bytes in a set"},
      {"[*?]", "a", false, "* and ? are plain bytes in a set"},
      {"[c-a]", "b", false, "a reversed range is empty"},
      {"[a-\xff]", "\xc3", true, "bytes are compared as unsigned"},
      {"[!a-\xff]", "\xc3", false, "bytes are compared as unsigned"},
      {"]", "]", true, "a lone ] matches itself"},
      {"}", "}", true, "a lone } matches itself"},
      {"{a,b}", "b", true, "either"},
      {"{a,b}", "c", false, "neither"},
      {"{a,}x", "x", true, "a choice may be empty"},
      {"{}x", "x", true, "the only choice is empty"},
      {"x{a*,b?}y", "xbcy", true, "choices may be patterns"},
      {"{a,b}.{c,d}", "b.c", true, "all combinations"},
      {"a,b", "a,b", true, "a comma outside of braces matches itself"},
      {"\\*", "\\anything", true, "there is no escape character"},
      {"ab*bc", "abc", false, "head and tail may not overlap"},
      {"*ab*b*", "ab", false, "segments may not overlap"},
      {"*a?*?b", "axyb", true, "a segment with ? matches at a later position"},
      {"[*]*[*]", "*x*", true, "a star in a set does not divide the pattern"},
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
      {sixty_four + std::string(200, 'a'), ErrorCode::kLimit},
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

// The worst kinds of pattern take a bounded number of steps per byte of a name.
TEST(Glob, TakesAFewStepsPerByteOfAName) {
  std::string sets = "*";
  for (int i = 0; i < 30; ++i) sets += "[ab]?";
  std::string braces = "*";
  for (int i = 0; i < 6; ++i) braces += "{a,b}";
  for (int i = 0; i < 20; ++i) braces += "?[ab]";
  std::string stars;
  for (int i = 0; i < 40; ++i) stars += "*a?";
  const std::string long_set = "*" + std::string(500, '?') + "[b]*";
  const std::vector<std::pair<std::string, uint64_t>> table = {
      {sets + "c*", 3},
      {braces + "c*", 4 * 64},
      {stars + "c*", 10},
      {long_set, 9},
      {"*" + std::string(600, 'a') + "b*", 11},
  };
  for (const auto& [pattern, per_byte_max] : table) {
    const Glob glob = *Glob::parse(pattern);
    for (const size_t size : {100U, 1000U, 10'000U}) {
      const std::string name(size, 'a');
      uint64_t steps = 0;
      EXPECT_FALSE(glob.matches(name, steps)) << pattern;
      EXPECT_LE(steps, per_byte_max * size + 64) << pattern << " " << size;
      EXPECT_LE(steps, Glob::kStepsPerByteMax * size) << pattern << " " << size;
    }
  }
}

TEST(Glob, FindsLongRunsOfSets) {
  const std::string sets = "*" + std::string(70, '?') + "[xy]z*";
  EXPECT_TRUE(matches(sets, "..." + std::string(75, 'a') + "yz."));
  EXPECT_TRUE(matches(sets, std::string(70, 'a') + "xz"));
  EXPECT_FALSE(matches(sets, std::string(69, 'a') + "xz"));
  EXPECT_FALSE(matches(sets, "..." + std::string(60, 'a') + "." + std::string(60, 'a') + "xz"));
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
  const std::string pattern = random_pattern();
  const Result<Glob> glob = Glob::parse(pattern);
  RC_PRE(glob.has_value());  // too many alternatives
  const std::vector<std::string> names = random_names();
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
