// Graphite's expressions over tags: what they mean as matchers, and what is refused.
#include "server/graphite/tag_expression.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/names/value_test.h"

namespace statmill::graphite {
namespace {

using Op = LabelMatcher::Op;

TEST(TagExpression, HasATagAnOperatorAndAValue) {
  struct Case {
    std::string text;
    LabelMatcher want;
    std::string why;
  };
  const std::vector<Case> cases = {
      {"host=a", {Op::kEqual, "host", "a"}, "equal"},
      {"host!=a", {Op::kNotEqual, "host", "a"}, "not equal"},
      {"host=~a", {Op::kMatches, "host", "a.*"}, "the beginning matches"},
      {"host!=~a|b", {Op::kMatchesNot, "host", "(?:a|b).*"}, "an alternative stays one"},
      {"name=disk.used", {Op::kEqual, "__name__", "disk.used"}, "name is the path"},
      {"host=", {Op::kEqual, "host", ""}, "an absent tag"},
      {"host!=", {Op::kNotEqual, "host", ""}, "any value"},
      {"a=b=c", {Op::kEqual, "a", "b=c"}, "only the first operator counts"},
      {"a==b", {Op::kEqual, "a", "=b"}, "the second = is of the value"},
      {"a=!~b", {Op::kEqual, "a", "!~b"}, "an operator in the value"},
      {"a b=~c d", {Op::kMatches, "a b", "c d.*"}, "blanks"},
  };
  for (const Case& c : cases) {
    const auto matcher = parse_tag_expression(c.text);
    ASSERT_TRUE(matcher) << c.why;
    EXPECT_EQ(*matcher, c.want) << c.why << ": " << matcher->value;
  }
}

TEST(TagExpression, ElseItIsRefused) {
  for (const char* text : {"", "host", "=a", "!=a", "host!a", "host!~a", "host!", "ho;st=a", "host=a;b",
                           "host=~(", "host=~a)(b", "host=~a\\", "host=~(?=a)", "host=~[b-a]"}) {
    const auto matcher = parse_tag_expression(text);
    ASSERT_FALSE(matcher) << text;
    EXPECT_EQ(matcher.error().code, ErrorCode::kInvalid) << text;
    EXPECT_NE(matcher.error().message.find("\"" + std::string(text) + "\""), std::string::npos);
  }
}

// Python's re.match() gives the wanted results.
TEST(TagExpression, ARegularExpressionIsAnchoredAtTheStart) {
  struct Case {
    std::string regex, value;
    bool want;
  };
  const std::vector<Case> cases = {
      {"web", "web1", true},     {"web", "aweb", false},  {"web$", "web", true}, {"web$", "web1", false},
      {"a|b$", "ax", true},      {"a|b$", "b", true},     {"a|b$", "bx", false}, {"^web", "web1", true},
      {"(a|b)c", "bcd", true},   {"", "x", true},         {"", "", true},        {"a.*", "a", true},
      {"(?i)WEB", "web1", true}, {"\\.", ".a", true},     {"\\.", "a", false},   {"[ab]", "b1", true},
      {"a{2}", "aab", true},     {"a\\|b", "a|bc", true}, {"a\\|b", "a", false}, {"a", "a\nb", true},
  };
  for (const Case& c : cases) {
    const auto matcher = parse_tag_expression("t=~" + c.regex);
    ASSERT_TRUE(matcher) << c.regex;
    EXPECT_EQ(ValueTest::parse(*matcher)->accepts(c.value), c.want) << c.regex << " " << c.value;
  }
}

TEST(TagExpression, APrefixMeansItself) {
  for (const char* text : {"", "web", "a.b*", "(x|y)[z]{2}^$\\+?"}) {
    const auto test = ValueTest::parse({Op::kMatches, "t", regex_of_prefix(text)});
    ASSERT_TRUE(test) << text;
    EXPECT_TRUE(test->accepts(std::string(text) + "1"));
    EXPECT_FALSE(!std::string(text).empty() && test->accepts("1" + std::string(text))) << text;
  }
}

TEST(TagExpression, OneOfSomeMustAskForAValue) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(parse_tag_expressions(Texts{"host=a", "dc!=b"})->size(), 2U);
  EXPECT_TRUE(parse_tag_expressions(Texts{"host!="}));
  EXPECT_TRUE(parse_tag_expressions(Texts{"host=~."}));
  for (const Texts& none : {Texts{}, Texts{"host="}, Texts{"host!=a", "dc=~.*"}, Texts{"host!=~a"}})
    EXPECT_FALSE(parse_tag_expressions(none));
  const auto many = parse_tag_expressions(Texts(kTagExpressionsMax + 1, "a=b"));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill::graphite
