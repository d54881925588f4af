// LatestValues remembers the last collection and passes samples on.
#include "agent/latest_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "agent/batch_builder.h"

namespace statmill {
namespace {

TEST(LatestValues, AreThoseOfTheLastCollection) {
  BatchBuilder builder("host.a");
  LatestValues latest(builder);
  builder.begin(from_unix_seconds(7));
  latest.begin();
  latest.gauge("gone", 1);
  latest.gauge("load.1m", 0.5);
  latest.total("disk.sda.reads", 40);
  EXPECT_EQ(builder.finish().text, "host.a.gone 7 1\nhost.a.load.1m 7 0.5\n");
  builder.begin(from_unix_seconds(8));
  latest.begin();
  latest.gauge("load.1m", 0.25);
  latest.gauge("unknown", std::numeric_limits<double>::quiet_NaN());
  latest.total("disk.sda.reads", 42);
  latest.lines("x 1\n");
  EXPECT_EQ(builder.finish().text, "host.a.load.1m 8 0.25\n*host.a.disk.sda.reads 8 2\nx 1\n");
  const std::string text = prometheus_text(latest.readings());
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_disk_sda_reads_total 42\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_load_1m 0.25\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("gone")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("unknown")));
}

TEST(LatestValues, IncludeDistributionsAndKeptValues) {
  BatchBuilder builder("h");
  LatestValues latest(builder);
  builder.begin(from_unix_seconds(7));
  latest.begin();
  const std::vector<uint64_t> counts = {0, 2, 1};
  latest.distribution("wait_ns", {.grouping_power = 3, .counts = counts, .sum = 4});
  latest.gauge("slow.level", 5);
  latest.total("slow.reads", 3);
  latest.gauge("slower", 6);
  builder.finish();
  EXPECT_THAT(prometheus_text(latest.readings()),
              testing::HasSubstr("\nstatmill_host_wait_seconds_count 3\n"));
  EXPECT_THAT(prometheus_text(latest.readings()),
              testing::HasSubstr("\nstatmill_host_wait_seconds_sum 0.000000004\n"));
  builder.begin(from_unix_seconds(8));
  latest.begin();
  latest.keep("slow.");
  const std::string text = prometheus_text(latest.readings());
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_slow_level 5\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_slow_reads_total 3\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("slower")));
}

}  // namespace
}  // namespace statmill
