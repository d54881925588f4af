// Targets are split and decoded; ambiguous ones are refused.
#include "server/http/url.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

using namespace std::literals;

TEST(UrlTest, SplitsAndDecodes) {
  const Result<Url> url = parse_url("/api/v1/query?series=a%2Eb&series=c++d%2B&from=-1h&flag&empty=");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->path, "/api/v1/query");
  ASSERT_EQ(url->parameters.size(), 5u);
  EXPECT_EQ(url->parameters[0].value, "a.b");
  EXPECT_EQ(url->parameters[1].value, "c  d+");
  EXPECT_EQ(url->find("from"), "-1h");
  EXPECT_EQ(url->find("flag"), "");
  EXPECT_EQ(url->find("empty"), "");
  EXPECT_EQ(url->find("until"), std::nullopt);
}

TEST(UrlTest, FormsAreDecodedLikeTheQueryOfATarget) {
  const auto form = parse_form("match[]=up&match%5B%5D=a+b%2B&empty=&flag");
  ASSERT_TRUE(form);
  ASSERT_EQ(form->size(), 4u);
  EXPECT_EQ((*form)[1].name, "match[]");
  EXPECT_EQ((*form)[1].value, "a b+");
  EXPECT_EQ((*form)[3].name, "flag");
  EXPECT_TRUE(parse_form("")->empty());
  for (const std::string_view bad : {"a=%", "a=%4", "a=%zz", "a=%00", "=a", "a&&b"})
    EXPECT_FALSE(parse_form(bad)) << bad;
}

TEST(UrlTest, APlusInThePathIsAPlus) { EXPECT_EQ(parse_url("/a+b")->path, "/a+b"); }

TEST(UrlTest, TheQueryMayContainMoreThanThePath) {
  const Result<Url> url = parse_url("/q?series=a//b%2F..%5C{x,y}[0-9]*");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->find("series"), "a//b/..\\{x,y}[0-9]*");
}

TEST(UrlTest, ValidTargetsPass) {
  for (const std::string_view target : {"/", "/x", "/x/", "/a/b.c", "/...", "/.x", "/x?", "/?a=b", "/%41"}) {
    EXPECT_TRUE(check_target(target).is_accepted()) << target;
  }
}

TEST(UrlTest, RefusesBadTargets) {
  struct Case {
    std::string target;
    HttpRefusal want;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {"", HttpRefusal::kBadTarget, "nothing"},
      {"x", HttpRefusal::kBadTarget, "no slash"},
      {"*", HttpRefusal::kBadTarget, "asterisk form"},
      {"http://h/x", HttpRefusal::kBadTarget, "absolute form"},
      {"h:80", HttpRefusal::kBadTarget, "authority form"},
      {"/a b", HttpRefusal::kBadTarget, "space"},
      {"/a\tb", HttpRefusal::kBadTarget, "tab"},
      {"/a\0b"s, HttpRefusal::kBadTarget, "NUL"},
      {"/a\x7f", HttpRefusal::kBadTarget, "DEL"},
      {"/a\xc3\xa9", HttpRefusal::kBadTarget, "raw UTF-8"},
      {"/a#b", HttpRefusal::kBadTarget, "fragment"},
      {"/a\\b", HttpRefusal::kBadTarget, "backslash"},
      {"/%", HttpRefusal::kBadEscape, "no digit"},
      {"/%4", HttpRefusal::kBadEscape, "one digit"},
      {"/%4g", HttpRefusal::kBadEscape, "not hexadecimal"},
      {"/x?a=%zz", HttpRefusal::kBadEscape, "broken in a parameter"},
      {"/x%00", HttpRefusal::kBadEscape, "NUL"},
      {"/x?a=%00", HttpRefusal::kBadEscape, "NUL in a parameter"},
      {"//", HttpRefusal::kAmbiguousPath, "empty segment"},
      {"//host/x", HttpRefusal::kAmbiguousPath, "looks like an authority"},
      {"/a//b", HttpRefusal::kAmbiguousPath, "empty segment"},
      {"/./a", HttpRefusal::kAmbiguousPath, "dot segment"},
      {"/a/..", HttpRefusal::kAmbiguousPath, "dot segment at the end"},
      {"/a/../b", HttpRefusal::kAmbiguousPath, "dot segment"},
      {"/%2e%2e/b", HttpRefusal::kAmbiguousPath, "escaped dots"},
      {"/.%2E/b", HttpRefusal::kAmbiguousPath, "half escaped dots"},
      {"/a%2fb", HttpRefusal::kAmbiguousPath, "escaped slash"},
      {"/a%5Cb", HttpRefusal::kAmbiguousPath, "escaped backslash"},
      {"/a%0d%0aX", HttpRefusal::kAmbiguousPath, "escaped line end"},
      {"/a%7f", HttpRefusal::kAmbiguousPath, "escaped DEL"},
      {"/" + std::string(kTargetBytesMax, 'a'), HttpRefusal::kTargetTooLong, "one byte over"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(check_target(c.target), c.want) << c.why << ": " << c.target;
    EXPECT_FALSE(parse_url(c.target).has_value()) << c.why;
  }
  EXPECT_TRUE(check_target("/" + std::string(kTargetBytesMax - 1, 'a')).is_accepted()) << "at the limit";
}

TEST(UrlTest, RefusesParametersWithoutAName) {
  for (const std::string_view target : {"/x?=1", "/x?&", "/x?a=1&", "/x?a&&b"}) {
    EXPECT_FALSE(parse_url(target).has_value()) << target;
  }
}

TEST(UrlTest, ErrorsNameTheParameter) {
  const ParameterRule rules[] = {{"series", true}, {"from"}};
  EXPECT_TRUE(check_parameters(*parse_url("/x?series=a&series=b&from=1"), rules).has_value());
  EXPECT_EQ(check_parameters(*parse_url("/x?form=1"), rules).error().message,
            "unknown parameter \"form\" (known: series, from)");
  EXPECT_EQ(check_parameters(*parse_url("/x?from=1&from=1"), rules).error().message,
            "parameter \"from\" is given more than once");
  EXPECT_EQ(check_parameters(*parse_url("/x?a"), {}).error().message,
            "unknown parameter \"a\" (there are none)");
}

}  // namespace
}  // namespace statmill
