#include "server/graphite/target_parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace statmill::graphite {
namespace {

std::string parsed(std::string_view text) {
  const auto tree = parse_target(text);
  return tree ? text_of(*tree) : tree.error().message;
}

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Case {
  std::string text;
  std::string want;
};

TEST(TargetParser, ReadsPathsCallsAndValues) {
  const Case cases[] = {
      {"host.web1.cpu", "host.web1.cpu"},
      {" host.*.cpu ", "host.*.cpu"},
      {"host.{a,b}.c[0-9]?.x", "host.{a,b}.c[0-9]?.x"},
      {"a;b=c", "a;b=c"},
      {"a\\(b\\).c", "a\\(b\\).c"},
      {"\xc3\xa4.b", "\xc3\xa4.b"},
      {"sum(a.b)", "sum(a.b)"},
      {"sum( a.b , c )", "sum(a.b,c)"},
      {"f()", "f()"},
      {"scale(a, -0.5)", "scale(a,-0.5)"},
      {"f(a,1e3,2.5e-3,-7)", "f(a,1000,0.0025,-7)"},
      {"f(a,1min)", "f(a,1min)"},
      {"f(a,TRUE,False,none,inf)", "f(a,true,false,none,inf)"},
      {"f(true.b,none.x)", "f(true.b,none.x)"},
      {"f(a,\"x y\",'z')", "f(a,\"x y\",\"z\")"},
      {"f(a,'\"')", "f(a,'\"')"},
      {"f(a,\"\\\"(\\d+)\")", "f(a,\"\\\"(\\d+)\")"},
      {"f(a,n=3,x=\"y\")", "f(a,n=3,x=\"y\")"},
      {"f(a, xFilesFactor = 0.5)", "f(a,xFilesFactor=0.5)"},
      {"a | f(1) | g()", "g(f(a,1))"},
      {"f(a|g(), b)", "f(g(a),b)"},
      {"123", "123"},
      {"f(-5.0\r)", "f(-5)"},
      {"f(a\t,\n1.0 \t)", "f(a,1)"},
      {"5.0|f()", "f(\\5.0)"},
      {"true|f(x=1.0|g())", "f(\\true,x=g(\\1.0))"},
      {"a=b|f()", "f(\\a=b)"},
      {"f(x=a=b)", "f(x=a=b)"},
      {"template(hosts.$name.cpu, name=web1)",
       "at 32: a value of template() is a number or a text in quotes"},
      {"template(hosts.$name.cpu,name=\"web1\")", "hosts.web1.cpu"},
      {"template(f(a.$1,$2),\"x\",3)", "f(a.x,3)"},
      {"template(f(a.$1,$2),\"x\",\"1.2.3\")", "f(a.x,\"1.2.3\")"},
      {"template(f(a.$1,$2),\"x\",\"7\")", "f(a.x,7)"},
  };
  for (const Case& one : cases) EXPECT_EQ(parsed(one.text), one.want) << one.text;
}

TEST(TargetParser, ErrorsHaveTheirPlace) {
  const Case cases[] = {
      {"", "at 1: expected a path or a function"},
      {"sum(", "at 5: expected a path or a function"},
      {"sum(a", "at 6: expected , or ) after an argument of sum()"},
      {"sum(a))", "at 7: expected the end of the target"},
      {"sum(a b)", "at 7: expected , or ) after an argument of sum()"},
      {"sum(a,)", "at 7: expected a path or a function, not ')'"},
      {"f(\"a", "at 3: the text has no end"},
      {"f(a{b,c)", "at 4: the brace has no end"},
      {"a{b.c}", "at 4: no dot may be in braces"},
      {"a\\", "at 2: nothing follows the backslash"},
      {"a|b", "at 3: expected a function after |"},
      {"f(a=1,b)", "at 7: an argument without a name follows one with a name"},
      {"\"a\"", "at 1: expected a path or a function, not '\"'"},
  };
  for (const Case& one : cases) EXPECT_EQ(parsed(one.text), one.want) << one.text;
}

TEST(TargetParser, TheTextOfSeriesByTagIsKept) {
  const auto tree = parse_target("sum(seriesByTag('name=cpu', 'a!=b'))");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->at(tree->at(tree->root).arguments[0].value).raw, "seriesByTag('name=cpu', 'a!=b')");
}

TEST(TargetParser, ValuesOfTheRequestReplaceThoseOfTheTemplate) {
  const TemplateValue values[] = {{"host", "web2"}};
  EXPECT_EQ(text_of(*parse_target("template(a.$host.b,host=\"web1\")", values)), "a.web2.b");
}

TEST(TargetParser, SizeDepthAndNodesAreLimited) {
  EXPECT_TRUE(parse_target(repeated("f(", 64) + "a" + repeated(")", 64)));
  EXPECT_EQ(parsed(repeated("f(", 65) + "a" + repeated(")", 65)),
            "at 129: calls are more than 64 deep inside each other");
  EXPECT_TRUE(parse_target("a" + repeated("|f()", 64)));
  EXPECT_EQ(parsed("a" + repeated("|f()", 65)), "at 1: calls and pipes are too deep inside each other");
  EXPECT_TRUE(parse_target(repeated("f(", 32) + "a" + repeated("|f()", 32) + repeated(")", 32)));
  EXPECT_EQ(parsed(repeated("f(", 32) + "a" + repeated("|f()", 33) + repeated(")", 32)),
            "at 1: calls and pipes are too deep inside each other");
  EXPECT_EQ(parsed(std::string(70'000, 'a')), "the target has more than 65536 bytes");
  EXPECT_TRUE(parse_target("f(a" + repeated(",a", 998) + ")"));
  EXPECT_EQ(parsed("f(a" + repeated(",a", 999) + ")"),
            "at 1: the target has more than 1000 calls and values");
  EXPECT_EQ(parsed("template(" + repeated("$1.", 700) + "a,\"" + repeated("x", 100) + "\")"),
            "at 10: the values of template() make the paths too long");
}

TEST(TargetParser, TheWorkOfTemplatesIsLimited) {
  std::vector<TemplateValue> values;
  for (int i = 0; i < 1000; ++i) values.emplace_back("v" + std::to_string(i), "b");
  EXPECT_EQ(text_of(*parse_target("template(a.$v7.$v5)", values)), "a.b.b");
  const std::string nested = repeated("template(", 60) + "a.$v7" + repeated(")", 60);
  const auto refused = parse_target(nested, values);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("template() has too many values for so many paths"),
            std::string::npos)
      << refused.error().message;
  EXPECT_NE(parsed("template(" + repeated("$1", 30'000) + ",\"\")").find("too many values"),
            std::string::npos);
}

TEST(TargetParser, NumbersOutOfRangeKeepTheirSign) {
  const std::pair<std::string, double> cases[] = {
      {"1e999", HUGE_VAL}, {"-1e999", -HUGE_VAL}, {"1e-999", 0}, {"-1e-999", 0}};
  for (const auto& [text, value] : cases) {
    const auto tree = parse_target("f(a," + text + ")");
    ASSERT_TRUE(tree) << text;
    EXPECT_EQ(tree->at(tree->at(tree->root).arguments[1].value).number, value) << text;
  }
}

}  // namespace
}  // namespace statmill::graphite
