// The agent's own numbers: figures of its parts, CPU and memory, and that the host is up.
#include "agent/self_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using std::chrono::seconds;

class SelfReportTest : public testing::Test {
 protected:
  RecordingSink report(int second) {
    RecordingSink sink;
    report_.report(SteadyTime(seconds(second)), sink);
    return sink;
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  SelfReport report_{proc_};
};

TEST_F(SelfReportTest, TheHostIsUpAtEachReport) {
  EXPECT_EQ(report(1).text, "$c host.up 1\n");
  EXPECT_EQ(report(2).text, "$c host.up 1\n");
}

TEST_F(SelfReportTest, ReadsWhatWasAddedAtEachReport) {
  double bytes = 5;
  uint64_t count = 7;
  report_.add_gauge("host.agent.spool_bytes", [&] { return bytes; });
  report_.add_total("host.agent.lines_spooled", [&] { return count; });
  const RecordingSink first = report(1);
  EXPECT_EQ(first.gauges.at("host.agent.spool_bytes"), 5);
  EXPECT_EQ(first.totals.at("host.agent.lines_spooled"), 0U) << "so that the growth has all that was counted";
  EXPECT_EQ(report(1).totals.at("host.agent.lines_spooled"), 7U);
  bytes = 3;
  count = 8;
  EXPECT_EQ(report(2).gauges.at("host.agent.spool_bytes"), 3);
  EXPECT_EQ(report(2).totals.at("host.agent.lines_spooled"), 8U);
}

TEST_F(SelfReportTest, CpuCoversTheTimeBetweenReports) {
  EXPECT_TRUE(std::isnan(report(1).gauges.at("host.agent.cpu_percent"))) << "the first report covers no time";
  EXPECT_GE(report(2).gauges.at("host.agent.cpu_percent"), 0);
}

TEST_F(SelfReportTest, MemoryIsReportedIfItCanBeRead) {
  EXPECT_TRUE(std::isnan(report(1).gauges.at("host.agent.rss_bytes")));
  root_.write("self/statm", "1000 3 1 1 0 1 0\n");
  EXPECT_EQ(report(2).gauges.at("host.agent.rss_bytes"), 12288);
}

}  // namespace
}  // namespace statmill
