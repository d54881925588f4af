// LatestValues remembers the last collection and passes samples on.
#include "agent/latest_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "agent/batch_builder.h"

namespace statmill {
namespace {

TEST(LatestValues, AreThoseOfTheLastCollection) {
  BatchBuilder builder("host=a");
  LatestValues latest(builder);
  builder.begin(from_unix_seconds(7));
  latest.begin();
  latest.gauge("host.agent.rss_bytes", 1);
  latest.gauge("host.load.average_1m", 0.5);
  latest.total("host.block.operations", {"sda", "read"}, 40);
  EXPECT_EQ(builder.finish().text, "host.agent.rss_bytes 1\nhost.load.average_1m 0.5\n");
  builder.begin(from_unix_seconds(8));
  latest.begin();
  latest.gauge("host.load.average_1m", 0.25);
  latest.gauge("host.agent.clock_difference_s", std::numeric_limits<double>::quiet_NaN());
  latest.total("host.block.operations", {"sda", "read"}, 42);
  latest.lines("x 1\n");
  EXPECT_EQ(builder.finish().text,
            "host.load.average_1m 0.25\n*host.block.operations;device=sda;op=read 2\nx 1\n");
  const std::string text = prometheus_text(latest.readings());
  EXPECT_THAT(text,
              testing::HasSubstr("\nstatmill_host_block_operations_total{device=\"sda\",op=\"read\"} 42\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_load_average_1m 0.25\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("host_agent_rss")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("clock_difference")));
}

TEST(LatestValues, IncludeDistributionsAndKeptValues) {
  BatchBuilder builder("host=h");
  LatestValues latest(builder);
  builder.begin(from_unix_seconds(7));
  latest.begin();
  const std::vector<uint64_t> counts = {0, 2, 1};
  latest.distribution("host.sched.runqueue_wait_ns", {.grouping_power = 3, .counts = counts, .sum = 4});
  latest.gauge("host.cgroup.tasks", {"/a", "", "", ""}, 5);
  latest.total("host.cgroup.switches", {"/a", "", "", ""}, 3);
  latest.gauge("host.agent.rss_bytes", 6);
  builder.finish();
  EXPECT_THAT(prometheus_text(latest.readings()),
              testing::HasSubstr("\nstatmill_host_sched_runqueue_wait_seconds_count 3\n"));
  EXPECT_THAT(prometheus_text(latest.readings()),
              testing::HasSubstr("\nstatmill_host_sched_runqueue_wait_seconds_sum 0.000000004\n"));
  builder.begin(from_unix_seconds(8));
  latest.begin();
  latest.keep("host.cgroup.");
  const std::string text = prometheus_text(latest.readings());
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_cgroup_tasks{cgroup=\"/a\"} 5\n"));
  EXPECT_THAT(text, testing::HasSubstr("\nstatmill_host_cgroup_switches_total{cgroup=\"/a\"} 3\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("host_agent_rss")));
}

}  // namespace
}  // namespace statmill
