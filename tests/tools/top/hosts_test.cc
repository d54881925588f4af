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
    for (const HostRow& row : rank_hosts(answers_)) out.push_back(row.prefix);
    return out;
  }
  std::optional<Measure> figure(Figure figure) const {
    return rank_hosts(answers_).at(0).figures.at(static_cast<size_t>(figure));
  }

  HostAnswers answers_;
};

TEST_F(HostsTest, TheWorstComesFirst) {
  for (const char* host : {"idle", "busy", "critical", "waiting", "warned", "away"})
    average("host." + std::string(host) + ".cpu.busy", {10});
  average("host.busy.disk.sda.io_ms", {500});                    // 50 %: no mark
  percentile("host.waiting.sched.runqueue_wait_ns", {9 * kMs});  // no mark, but more of its limit than busy
  percentile("host.warned.sched.runqueue_wait_ns", {11 * kMs});
  percentile("host.critical.block.sda.read.latency_ns", {82 * kMs});
  answers_.agents.agents.emplace_back().host = "host.away";  // not connected
  EXPECT_THAT(order(), ElementsAre("host.critical", "host.away", "host.warned", "host.waiting", "host.busy",
                                   "host.idle"));
}

TEST_F(HostsTest, JoinsTheSeriesOfAHost) {
  average("a.cpu.busy", {10, std::nullopt, 20, 99});  // the last slot is under way
  average("a.memory.total", {200, 200});
  average("a.memory.available", {30, 30});
  average("a.disk.sda.io_ms", {970, 0});
  average("a.disk.sdb.io_ms", {10, 0});
  average("a.network.eth0.rx_bytes", {100, 0});
  average("a.network.eth1.tx_bytes", {50, 0});
  average("a.psi.cpu.some_us", {400'000, 0});
  percentile("a.block.sda.read.latency_ns", {1, 5, std::nullopt});
  percentile("a.block.sda.write.latency_ns", {2});
  percentile("a.block.sda.flush.latency_ns", {1e12});  // no one waits for it
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
  average("a.cpu.busy", {0});
  average("a.network.eth0.rx_errors", {0});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kOk);
  average("a.network.eth0.tx_errors", {0.1});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kWarning);
  average("a.network.eth1.tx_errors", {0.9});
  EXPECT_EQ(figure(Figure::kNetworkErrors)->level, Level::kCritical);
}

TEST_F(HostsTest, AHostMayBeTheBeginOfAnother) {
  average("host.web.cpu.busy", {1});
  average("host.web.dc1.cpu.busy", {2});
  average("host.web.dc1.network.eth0.rx_errors", {5});
  average("elsewhere.network.eth0.rx_errors", {5});  // no host
  EXPECT_THAT(order(), ElementsAre("host.web.dc1", "host.web"));
  EXPECT_FALSE(rank_hosts(answers_).at(1).figures.at(static_cast<size_t>(Figure::kNetworkErrors)));
}

TEST_F(HostsTest, WithoutAnswersThereAreNoHosts) { EXPECT_THAT(order(), ElementsAre()); }

}  // namespace
}  // namespace statmill
