// The settings of statmilld together: they fill the config struct, and all errors are reported together.
#include "server/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class ServerConfigTest : public testing::Test {
 protected:
  // Returns the errors, or "".
  std::string apply(std::vector<const char*> arguments) {
    config_ = {};
    const auto applied = apply_settings(server_settings(config_), {arguments, {}});
    return applied ? "" : applied.error().message;
  }
  RetentionClass class_of(std::string_view name) const { return config_.retention.class_of(name); }

  ServerConfig config_;
};

TEST_F(ServerConfigTest, RetentionRulesKeepTheOrderOfTheCommandLine) {
  ASSERT_EQ(apply({}), "");
  EXPECT_EQ(config_.retention.class_count(), 2U);
  EXPECT_EQ(config_.retention.tiers(class_of("host.cpu.busy;host=a")).text(), "1s:6h,10s:10d,5m:1y,1h:6y");
  ASSERT_EQ(apply({"--retention.rule", "a.b.* 10s:1d", "--retention.rule=a.* 1h:9y", "--retention",
                   "10s:5d,5m:1y,1h:6y"}),
            "");
  EXPECT_EQ(class_of("a.b.c"), 1);
  EXPECT_EQ(class_of("a.c"), 2);
  EXPECT_EQ(class_of("b"), kDefaultRetention);
  EXPECT_EQ(config_.retention.tiers(1).text(), "10s:1d,5m:1y,1h:6y");
  EXPECT_EQ(config_.retention.tiers(2).text(), "10s:5d,5m:1y,1h:9y") << "the rest as in --retention";
}

TEST_F(ServerConfigTest, RetentionRulesHaveASectionInTheFile) {
  const TempDirectory directory;
  const std::string path = directory
                               .write("statmilld.conf",
                                      "retention = 10s:1d,1m:10d\n"
                                      "[retention]\n"
                                      "rule = host.debug.* 10s:1h,1m:2d\n"
                                      "rule = *;env=test 1m:20d  # equals signs and all\n")
                               .string();
  ASSERT_EQ(apply({"--config", path.c_str()}), "");
  EXPECT_EQ(class_of("host.debug.x"), 1);
  EXPECT_EQ(class_of("a;env=test"), 2);
  EXPECT_EQ(config_.retention.tiers(2).text(), "10s:1d,1m:20d");
}

TEST_F(ServerConfigTest, AllErrorsOfRulesAreReportedTogether) {
  EXPECT_EQ(apply({"--retention.rule", "a 7s:1d", "--retention.rule", "a 10s:1d", "--retention.rule",
                   "[a 10s:1d", "--tick", "soon"}),
            "retention.rule: rule \"a 7s:1d\": tier \"7s:1d\": no tier has this step; the tiers are "
            "10s:10d,5m:1y,1h:6y, and 1s for rules\n"
            "retention.rule: rule \"[a 10s:1d\": glob: [ without ]\n"
            "tick: duration \"soon\": expected a number and a unit, as in 10s or 1y9d");
}

TEST_F(ServerConfigTest, AnInvalidRetentionReportsNoErrorsOfRules) {
  EXPECT_EQ(apply({"--retention", "10s", "--retention.rule", "a 1m:1d"}),
            "retention: tier \"10s\": must be STEP:RETENTION, as in 10s:10d");
}

TEST_F(ServerConfigTest, TheNumberOfRulesIsLimited) {
  std::vector<const char*> arguments;
  for (size_t i = 0; i < Retention::kRulesMax + 2; ++i)
    arguments.insert(arguments.end(), {"--retention.rule", "a 10s:1d"});
  EXPECT_EQ(apply(arguments),
            "retention.rule: rule \"a 10s:1d\": more than 254 rules\n"
            "retention.rule: rule \"a 10s:1d\": more than 254 rules\n"
            "retention.host_seconds: rule \"host.* 1s:6h\": more than 254 rules");
}

TEST_F(ServerConfigTest, HostsKeepSecondsUnlessARuleOrTheTiersSayOtherwise) {
  const auto of_hosts = [&] { return config_.retention.tiers(class_of("host.load.1m;host=a")).text(); };
  ASSERT_EQ(apply({"--retention.rule", "host.load.* 10s:1d"}), "");
  EXPECT_EQ(of_hosts(), "10s:1d,5m:1y,1h:6y");
  ASSERT_EQ(apply({"--retention.rule", "host.load.* 1s:2h,10s:1d"}), "");
  EXPECT_EQ(of_hosts(), "1s:2h,10s:1d,5m:1y,1h:6y");
  ASSERT_EQ(apply({"--retention.host_seconds", "0s"}), "");
  EXPECT_EQ(of_hosts(), "10s:10d,5m:1y,1h:6y");
  ASSERT_EQ(apply({"--retention", "10s:1h,1m:1d"}), "");
  EXPECT_EQ(of_hosts(), "1s:1h,10s:1h,1m:1d") << "no longer than the finest tier";
  ASSERT_EQ(apply({"--retention", "1s:1h,1m:1d"}), "");
  EXPECT_EQ(of_hosts(), "1s:1h,1m:1d");
  EXPECT_EQ(config_.retention.class_count(), 1U) << "the finest tier has the seconds";
}

TEST_F(ServerConfigTest, InfluxHasAPortOnlyIfItIsSet) {
  ASSERT_EQ(apply({}), "");
  EXPECT_FALSE(config_.influx_listen);
  EXPECT_EQ(config_.influx_db_tag, "");
  ASSERT_EQ(apply({"--influx.listen", "127.0.0.1:8089", "--influx.db_tag", "name"}), "");
  EXPECT_EQ(config_.influx_listen->text(), "127.0.0.1:8089");
  EXPECT_EQ(config_.influx_db_tag, "%6Eame") << "as names have it";
  EXPECT_THAT(apply({"--influx.db_tag", "a\xe2\x80\x8d"}), testing::HasSubstr("influx.db_tag"));
}

TEST_F(ServerConfigTest, GraphiteAndStatsdAreOffByDefault) {
  ASSERT_EQ(apply({}), "");
  EXPECT_FALSE(config_.graphite_listen);
  EXPECT_FALSE(config_.statsd_listen);
  EXPECT_EQ(config_.line.idle_timeout, std::chrono::minutes(10));
  EXPECT_EQ(config_.line.udp_buffer_bytes, size_t{32} << 20);
  EXPECT_EQ(config_.statsd.gauge_expiry, std::chrono::hours(24));
  ASSERT_EQ(apply({"--graphite.listen", "127.0.0.1:2003", "--statsd.listen", "[::1]:8125", "--statsd.sets=7",
                   "--line.idle_timeout", "0s", "--line.udp_buffer", "1M", "--statsd.gauge_expiry", "15m"}),
            "");
  EXPECT_EQ(config_.graphite_listen->text(), "127.0.0.1:2003");
  EXPECT_EQ(config_.statsd_listen->text(), "[::1]:8125");
  EXPECT_EQ(config_.statsd.sets_max, 7U);
  EXPECT_EQ(config_.statsd.gauge_expiry, std::chrono::minutes(15));
  EXPECT_EQ(config_.line.idle_timeout, Duration(0));
  EXPECT_EQ(config_.line.udp_buffer_bytes, size_t{1} << 20);
  EXPECT_THAT(apply({"--statsd.listen", "8125"}), testing::StartsWith("statsd.listen: "));
}

}  // namespace
}  // namespace statmill
