// The order of hosts, and what makes them ✕ or △.
#include "tools/statmill/top/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace statmill {
namespace {

using testing::ElementsAre;

constexpr double kMs = 1e6;

class HostsTest : public testing::Test {
 protected:
  void average(const std::string& series, std::vector<std::optional<double>> slots) {
    answers_.averages.series.push_back({series, "gauge", {{"avg", std::move(slots)}}});
  }
  void percentile(const std::string& series, std::vector<std::optional<double>> slots) {
    answers_.percentiles.series.push_back({series, "distribution", {{"p99", std::move(slots)}}});
  }
  std::vector<std::string> order() const {
    std::vector<std::string> out;
    for (const HostRow& row : rank_hosts(answers_)) out.push_back(row.host);
    return out;
  }
  std::optional<Measure> figure(Figure figure) const {
    return rank_hosts(answers_).at(0).figures.at(static_cast<size_t>(figure));
  }

  HostAnswers answers_;
};

TEST_F(HostsTest, TheWorstComesFirst) {
  for (const char* host : {"idle", "busy", "critical", "waiting", "warned", "away"})
    average("host.cpu.busy_percent;host=" + std::string(host), {10});
  average("host.block.busy_ns;device=sda;host=busy", {5e8});  // 50 %: no mark
  percentile("host.sched.runqueue_wait_ns;host=waiting",
             {9 * kMs});  // no mark, but more of its limit than busy
  percentile("host.sched.runqueue_wait_ns;host=warned", {11 * kMs});
  percentile("host.block.latency_ns;device=sda;host=critical;op=read", {82 * kMs});
  answers_.agents.agents.emplace_back().host = "away";  // not connected
  EXPECT_THAT(order(), ElementsAre("critical", "away", "warned", "waiting", "busy", "idle"));
}

TEST_F(HostsTest, JoinsTheSeriesOfAHost) {
  average("host.cpu.busy_percent;dc=eu;host=a", {10, std::nullopt, 20, 99});  // the last slot is under way
  average("host.memory.total_bytes;host=a", {200, 200});
  average("host.memory.available_bytes;host=a", {30, 30});
  average("host.block.busy_ns;device=sda;host=a", {97e7, 0});
  average("host.block.busy_ns;device=sdb;host=a", {1e7, 0});
  average("host.net.bytes;device=eth0;direction=receive;host=a", {100, 0});
  average("host.net.bytes;device=eth1;direction=transmit;host=a", {50, 0});
  average("host.psi.stalled_ns;host=a;resource=cpu;type=some", {4e8, 0});
  average("host.psi.stalled_ns;host=a;resource=cpu;type=full", {9e8, 0});
  percentile("host.block.latency_ns;device=sda;host=a;op=read", {1, 5, std::nullopt});
  percentile("host.block.latency_ns;device=sda;host=a;op=write", {2});
  percentile("host.block.latency_ns;device=sda;host=a;op=flush", {1e12});  // no one waits for it
  EXPECT_EQ(figure(Figure::kCpuBusy)->value, 15);
  EXPECT_DOUBLE_EQ(figure(Figure::kMemoryUsed)->value, 85);
  EXPECT_EQ(figure(Figure::kMemoryUsed)->level, Level::kWarning);
  EXPECT_DOUBLE_EQ(figure(Figure::kDiskBusy)->value, 97);
  EXPECT_EQ(figure(Figure::kDiskBusy)->level, Level::kCritical);
  EXPECT_EQ(figure(Figure::kNetworkBytes)->value, 150);
  EXPECT_DOUBLE_EQ(figure(Figure::kCpuPressure)->value, 40);
  EXPECT_EQ(figure(Figure::kCpuPressure)->level, Level::kCritical);
  EXPECT_EQ(figure(Figure::kDiskLatency)->value, 5);
  EXPECT_FALSE(figure(Figure::kCpuWait)) << "absent is not zero";
}

TEST_F(HostsTest, AnyErrorIsAWarningAndOneASecondIsCritical) {
  average("host.cpu.busy_percent;dc=eu;host=a", {0});
  average("host.net.errors;device=eth0;direction=receive;host=a", {0});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kOk);
  average("host.net.errors;device=eth0;direction=transmit;host=a", {0.1});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kWarning);
  average("host.net.errors;device=eth1;direction=transmit;host=a", {0.9});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kCritical);
}

TEST_F(HostsTest, AHostMayBeTheBeginOfAnother) {
  average("host.cpu.busy_percent;host=web", {1});
  average("host.cpu.busy_percent;host=web.dc1", {2});
  average("host.net.errors;device=eth0;direction=receive;host=web.dc1", {5});
  average("host.net.errors;device=eth0;direction=receive;host=elsewhere", {5});  // no host
  average("host.net.errors;device=eth0;direction=receive;myhost=web", {5});      // no host
  EXPECT_THAT(order(), ElementsAre("web.dc1", "web"));
  EXPECT_FALSE(rank_hosts(answers_).at(1).figures.at(static_cast<size_t>(Figure::kNetworkErrors)));
}

TEST_F(HostsTest, WithoutAnswersThereAreNoHosts) { EXPECT_THAT(order(), ElementsAre()); }

}  // namespace
}  // namespace statmill
