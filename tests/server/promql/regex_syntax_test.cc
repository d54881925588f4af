// Which regular expressions match the empty text, and which are not whole.
#include "server/promql/regex_syntax.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace statmill::promql {
namespace {

TEST(RegexSyntax, SomeMatchTheEmptyText) {
  for (const std::string_view expression :
       {"",       ".*",     "a*",       "a?",    "a*?",        "a??",     "a|",      "|a",
        "a||b",   "(a|)",   "(a*)(b*)", "(|a)+", "(?:a?){3}",  "a{0}",    "a{0,}",   "a{0,3}",
        "^$",     "^",      "\\A\\z",   "\\B",   "()",         "(?i)",    "(?i:a*)", "(?P<n>a*)",
        "(?s).*", "a{0}b?", "\\Qa\\E*", "[]]*",  "(((a)?)?)?", "(a{2})*", "\\Q\\E"}) {
    const auto is_empty = matches_empty(expression);
    ASSERT_TRUE(is_empty) << expression << ": " << is_empty.error().message;
    EXPECT_TRUE(*is_empty) << expression;
  }
}

TEST(RegexSyntax, OthersDoNot) {
  for (const std::string_view expression :
       {"a",     ".",    ".+",    "a+",         "a|b",   "(a|b)",   "(a)(b*)",     "a*b",
        "b?a",   "a{1}", "a{2,}", "[ab]",       "[]]",   "[^]]",    "[[:alpha:]]", "[\\]]",
        "\\d",   "\\.",  "\\pL",  "\\p{Greek}", "\\x41", "\\x{41}", "\\Qab\\E",    "ä",
        "a{",    "a{x}", "a{,3}", "x{0}y",      "\\b",   "(?i)a",   "(?P<n>a)",    "(?<n>a)",
        "\\101", "\\C",  "(a*)b", "\\Q.*\\E",   "\\Qa*"}) {
    const auto is_empty = matches_empty(expression);
    ASSERT_TRUE(is_empty) << expression << ": " << is_empty.error().message;
    EXPECT_FALSE(*is_empty) << expression;
  }
}

TEST(RegexSyntax, WhatIsNotWholeIsRefused) {
  for (const std::string_view expression :
       {"(",    ")",   "(a",    "a)",    "[",     "[a",      "[]",  "*",       "+",      "?",
        "a|*",  "(*)", "a**",   "a+*",   "a*??",  "a{2}{3}", "\\",  "a\\",     "\\y",    "\\9",
        "\\1",  "(?",  "(?P<n", "(?=a)", "(?!a)", "(?<",     "{1}", "a{1001}", "a{2,1}", "a{99999999999}",
        "\xff", "[\\"}) {
    EXPECT_FALSE(matches_empty(expression)) << expression;
  }
}

TEST(RegexSyntax, DepthAndSizeAreHarmless) {
  std::string deep(60'000, '(');
  EXPECT_FALSE(matches_empty(deep));
  deep += std::string(60'000, ')');
  EXPECT_TRUE(matches_empty(deep).value());
  EXPECT_FALSE(matches_empty(std::string(60'000, '[')));
  EXPECT_FALSE(matches_empty(std::string(60'000, 'a')).value());
}

}  // namespace
}  // namespace statmill::promql
