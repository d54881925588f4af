// istatd's settings: which names and keys there are, what a change does, and the limits.
#include "server/documents/setting_files.h"

#include <gtest/gtest.h>

#include <string>

namespace statmill {
namespace {

class SettingFilesTest : public testing::Test {
 protected:
  using Changes = std::vector<std::pair<std::string, std::string>>;
  auto set(std::string_view name, const Changes& changes) { return files_.set(name, changes, Timestamp()); }

  Registry registry_;
  DocumentChanges changes_;
  SettingFiles files_{{.files_max = 2, .file_bytes_max = 100, .bytes_max = 150}, changes_, registry_};
};

TEST_F(SettingFilesTest, AChangeIsAllOrNothing) {
  ASSERT_TRUE(set("users", {{"user.a", "1"}, {"b", "2"}}));
  ASSERT_TRUE(set("users", {{"b", ""}, {"c", "3"}}));
  EXPECT_EQ(*files_.get("users"), (SettingFiles::Settings{{"c", "3"}, {"user.a", "1"}}));
  EXPECT_FALSE(set("users", {{"d", "4"}, {"e f", "5"}}));  // istatd answers success and loses the second
  EXPECT_EQ(files_.get("users")->size(), 2U);
  EXPECT_FALSE(files_.get("nothing"));
}

TEST_F(SettingFilesTest, NamesAndKeysAreThoseOfIstatd) {
  for (const char* name : {"users", "a.B-c_9", "."}) EXPECT_TRUE(check_setting_name(name)) << name;
  for (const std::string name : {"", "a b", "a/b", "..\\x", "ä"})
    EXPECT_FALSE(check_setting_name(name)) << name;
  EXPECT_TRUE(check_setting_name(std::string(kSettingNameBytesMax, 'a')));
  EXPECT_FALSE(check_setting_name(std::string(kSettingNameBytesMax + 1, 'a')));
  for (const char* key : {"a", "user.x", "a_b,c", "ä", "!&|<>@`"}) EXPECT_TRUE(check_setting_key(key)) << key;
  EXPECT_FALSE(check_setting_key(""));
  for (const char c : std::string_view(" \r\n\t\b\\/:;*?\"'%()[]{}~$^#=+-"))
    EXPECT_FALSE(check_setting_key(std::string("a") + c)) << c;
}

TEST_F(SettingFilesTest, TheLimitsHoldAndAreCounted) {
  const std::string much(80, 'x');
  ASSERT_TRUE(set("a", {{"k", much}}));
  EXPECT_EQ(set("a", {{"l", "1234567"}}).error().code, ErrorCode::kLimit);  // of one file
  EXPECT_EQ(set("b", {{"k", much}}).error().code, ErrorCode::kLimit);       // of all
  ASSERT_TRUE(set("b", {{"k", "1"}}));
  EXPECT_EQ(set("c", {{"k", "1"}}).error().code, ErrorCode::kLimit);  // of files
  ASSERT_TRUE(set("a", {{"k", ""}}));
  EXPECT_TRUE(set("b", {{"k", much}}));
  EXPECT_EQ(files_.size(), 2U);
  EXPECT_EQ(files_.bytes(), 2U + 88U);
  double refused = 0;
  for (const Reading& reading : registry_.read())
    if (reading.path() == "statmill.settings_refused") refused = reading.value();
  EXPECT_EQ(refused, 3);
}

TEST_F(SettingFilesTest, ADamagedFileIsNotPutIn) {
  const auto restore = [this](const std::string& id, const std::string& body) {
    return files_.restore({{DocumentKind::kSettings, id}, Timestamp(), body});
  };
  EXPECT_TRUE(restore("a", R"({"k":"v"})"));
  for (const char* bad : {"", "[]", R"({"k":1})", "{"}) EXPECT_FALSE(restore("b", bad)) << bad;
  EXPECT_FALSE(restore("a b", "{}"));
  EXPECT_EQ(files_.size(), 1U);
}

}  // namespace
}  // namespace statmill
