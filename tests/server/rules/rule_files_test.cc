#include "server/rules/rule_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "server/rules/alertmanager.h"
#include "server/rules/rule_engine.h"
#include "tests/support/temp_directory.h"

namespace statmill::rules {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

std::string file_of(const std::string& group) {
  return "groups:\n- name: " + group + "\n  rules:\n  - record: a\n    expr: up\n";
}

class RuleFilesTest : public testing::Test {
 protected:
  RuleFilesTest() { options_.folders = {directory_.path()}; }
  std::string names() {
    std::string out;
    for (const auto& group : files_.groups()) out += group->name;
    return out;
  }

  TempDirectory directory_;
  RuleOptions options_;
  Log log_{LogOptions{}};
  RuleFiles files_{options_, log_};
};

TEST_F(RuleFilesTest, ReadsTheFilesOfAFolderInTheOrderOfTheirNames) {
  directory_.write("b.yaml", file_of("b"));
  directory_.write("a.yml", file_of("a"));
  directory_.write("c.rules", file_of("c"));
  directory_.write("notes.txt", "no rules");
  directory_.write(".hidden.yml", "no rules");
  EXPECT_TRUE(files_.refresh());
  EXPECT_EQ(names(), "abc");
  EXPECT_FALSE(files_.refresh());
}

TEST_F(RuleFilesTest, AFileWithAFaultKeepsItsGroups) {
  const std::string path = directory_.write("a.yml", file_of("a"));
  EXPECT_TRUE(files_.refresh());
  const auto before = files_.groups().at(0);
  directory_.write("a.yml", "groups: 5\n");
  EXPECT_TRUE(files_.refresh());
  EXPECT_EQ(names(), "a");
  EXPECT_EQ(files_.groups().at(0), before);
  EXPECT_EQ(files_.faults(), 1U);
  directory_.write("a.yml", file_of("new"));
  EXPECT_TRUE(files_.refresh());
  EXPECT_EQ(names(), "new");
  EXPECT_EQ(files_.faults(), 0U);
  std::filesystem::remove(path);
  EXPECT_TRUE(files_.refresh());
  EXPECT_EQ(names(), "");
}

TEST_F(RuleFilesTest, APipeAndALinkToNothingAreFaults) {
  ASSERT_EQ(::mkfifo((directory_.path() / "a.yml").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", directory_.path() / "b.yml");
  EXPECT_TRUE(files_.refresh());
  EXPECT_EQ(files_.faults(), 2U);
  EXPECT_FALSE(files_.refresh());
}

TEST_F(RuleFilesTest, AFolderThatIsMissingIsAFault) {
  options_.folders = {directory_.path() / "nowhere"};
  EXPECT_FALSE(files_.refresh());
  EXPECT_EQ(files_.faults(), 1U);
}

TEST(DueTime, IsTheNewestMultipleThatIsOldEnough) {
  const auto due = [](int64_t now, int64_t interval, int64_t offset) {
    return unix_seconds(due_time(from_unix_seconds(now), seconds(interval), seconds(offset)));
  };
  EXPECT_EQ(due(120, 60, 0), 120);
  EXPECT_EQ(due(124, 60, 5), 60);
  EXPECT_EQ(due(125, 60, 5), 120);
  EXPECT_EQ(due(179, 60, 5), 120);
}

TEST(Alertmanager, AddressesAreChecked) {
  const auto plain = parse_alertmanager("http://alerts.example.org");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->authority(), "alerts.example.org:9093");
  EXPECT_EQ(plain->path, "/api/v2/alerts");
  const auto other = parse_alertmanager("https://[::1]:443/prefix/");
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->uses_tls);
  EXPECT_EQ(other->authority(), "[::1]:443");
  EXPECT_EQ(other->path, "/prefix/api/v2/alerts");
  for (const char* bad :
       {"", "alerts:9093", "ftp://a", "http://", "http://a:0", "http://u:p@a", "http://a?x"})
    EXPECT_FALSE(parse_alertmanager(bad)) << bad;
}

TEST(Alertmanager, AnAlertIsPostedInItsForm) {
  SentAlert alert;
  alert.labels = {{"alertname", "a\"b"}};
  alert.annotations = {{"summary", "s"}};
  alert.starts_at = Timestamp(Duration(1'700'000'000'125));
  alert.ends_at = from_unix_seconds(1'700'000'060);
  alert.expression = "up == 0";
  const std::string without =
      R"({"labels":{"alertname":"a\"b"},"annotations":{"summary":"s"},"startsAt":"2023-11-14T22:13:20.125Z",)"
      R"("endsAt":"2023-11-14T22:14:20Z")";
  EXPECT_EQ(alert_json(alert, ""), without + "}");
  EXPECT_EQ(alert_json(alert, "http://s:1/"),
            without + R"(,"generatorURL":"http://s:1/#/explore?p0.e=up%20%3D%3D%200"})");
}

}  // namespace
}  // namespace statmill::rules
