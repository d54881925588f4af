#include "proto/family.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

TEST(FamilyTest, UnitsAreShortWords) {
  for (const char* unit : {"", "bytes", "%", "bytes/s", "m2", "cpu_seconds"})
    EXPECT_TRUE(is_unit(unit)) << unit;
  for (const char* unit : {"Bytes", "a b", "°c", "a-b", "a.b", "\n"}) EXPECT_FALSE(is_unit(unit)) << unit;
  EXPECT_TRUE(is_unit(std::string(32, 'a')));
  EXPECT_FALSE(is_unit(std::string(33, 'a')));
}

TEST(FamilyTest, HelpIsTextThatHidesNothing) {
  for (const char* help : {"", "Bytes read.", "in °C", "\xe2\x82\xac and \xf0\x9f\x98\x80", "a\xc2\xa0z"})
    EXPECT_TRUE(is_help(help)) << help;
  for (const char* help :
       {"a\tb", "a\nb", "a\x7f", "\xc2\x85", "\xe2\x80\xae", "\xe2\x80\x8d", "\xe2\x80\xa8", "\xc2\xad",
        "\xef\xbb\xbf", "\xf3\xa0\x81\x81", "\xe2\x81\xa6", "\xd8\x9c"})
    EXPECT_FALSE(is_help(help)) << help;
  EXPECT_TRUE(is_help(std::string(kHelpBytesMax, 'a')));
  EXPECT_FALSE(is_help(std::string(kHelpBytesMax + 1, 'a')));
}

TEST(FamilyTest, HelpIsUtf8) {
  for (const char* help : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xe2\x82z", "a\xc3"})
    EXPECT_FALSE(is_help(help)) << help;
}

TEST(FamilyTest, ChecksPathsLikeNames) {
  const auto check = [](std::string_view path) {
    return check_family({Kind::kGauge, path, "bytes", "Help."});
  };
  EXPECT_EQ(check("Room.heat"), kAccepted);
  EXPECT_EQ(check(""), Refusal::kEmptyName);
  EXPECT_EQ(check("a;b=c"), Refusal::kBadName);
  EXPECT_EQ(check("a b"), Refusal::kBadName);
  EXPECT_EQ(check("a\xff"), Refusal::kBadName);
  EXPECT_EQ(check(std::string(kNameBytesMax, 'a')), kAccepted);
  EXPECT_EQ(check(std::string(kNameBytesMax + 1, 'a')), Refusal::kNameTooLong);
}

TEST(FamilyTest, PathsEndAtTags) {
  EXPECT_EQ(path_of("a.b;c=d;e=f"), "a.b");
  EXPECT_EQ(path_of("a.b"), "a.b");
}

}  // namespace
}  // namespace statmill
