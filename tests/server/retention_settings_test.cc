#include "server/retention_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class RetentionSettings : public testing::Test {
 protected:
  // Reads this file, after a command line and an environment that name other settings.
  Result<Retention> read(std::string_view file, const InsteadValues& instead = {}) {
    directory_.write("statmilld.conf", file);
    const std::string path = (directory_.path() / "statmilld.conf").string();
    const std::array arguments = {"--config", path.c_str(), "--tick", "1s"};
    return read_retention({arguments, {{"STATMILL_RETENTION_HOST_SECONDS", "3h"}}}, instead);
  }

  TempDirectory directory_;
};

TEST_F(RetentionSettings, AreThoseOfTheFileAsItIsNow) {
  EXPECT_EQ(read("")->tiers().text(), "10s:10d,5m:1y,1h:6y");
  const auto retention = read("retention = 10s:2d,5m:1y\n[retention]\nrule = a 10s:1d\nrule = b 5m:2y\n");
  ASSERT_TRUE(retention) << retention.error().message;
  EXPECT_EQ(retention->tiers().text(), "10s:2d,5m:1y");
  ASSERT_EQ(retention->class_count(), 4U);
  EXPECT_EQ(retention->rule(2), "b 5m:2y");
  EXPECT_EQ(retention->rule(3), "host.* 1s:3h");
}

TEST_F(RetentionSettings, OtherValuesTakeTheirPlace) {
  const auto retention = read("retention = 10s:2d\n[retention]\nrule = a 10s:1d\n",
                              {{"retention", {"10s:3d"}}, {"retention.rule", {"b 10s:1d", "c 10s:1d"}}});
  ASSERT_TRUE(retention) << retention.error().message;
  EXPECT_EQ(retention->tiers().text(), "10s:3d");
  ASSERT_EQ(retention->class_count(), 4U);
  EXPECT_EQ(retention->rule(1), "b 10s:1d");
  EXPECT_EQ(read("", {{"retention.rule", {"b 10s:1d"}}})->rule(1), "b 10s:1d") << "where there is no rule";
  EXPECT_EQ(read("", {{"retention.host_seconds", {"0s"}}})->class_count(), 1U);
}

TEST_F(RetentionSettings, AnyFaultIsReported) {
  EXPECT_THAT(read("retention = 10s:1s\n").error().message, HasSubstr("shorter than two steps"));
  EXPECT_THAT(read("[flush]\ninterval = never\n").error().message, HasSubstr("flush.interval"));
  EXPECT_THAT(read("", {{"retention.rule", {"b 7s:1d"}}}).error().message,
              HasSubstr("retention.rule: rule \"b 7s:1d\""));
}

}  // namespace
}  // namespace statmill
