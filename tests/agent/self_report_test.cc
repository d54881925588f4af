// The agent's own numbers: totals as growth since they were sent, CPU and memory.
#include "agent/self_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class SelfReportTest : public testing::Test {
 protected:
  std::string report(int second) {
    RecordingSink sink;
    report_.report(SteadyTime(seconds(second)), sink);
    return sink.text;
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  SelfReport report_{"host.t", proc_};
};

TEST_F(SelfReportTest, GaugesAreCurrent) {
  double bytes = 5;
  report_.add_gauge("agent.spool_bytes", "", [&] { return bytes; });
  EXPECT_THAT("\n" + report(1), HasSubstr("\nhost.t.agent.spool_bytes 1700000000 5\n"));
  bytes = 3;
  EXPECT_THAT("\n" + report(2), HasSubstr("\nhost.t.agent.spool_bytes 1700000000 3\n"));
}

TEST_F(SelfReportTest, TotalsAreTheGrowthSinceTheyWereSent) {
  uint64_t count = 5;
  report_.add_total("agent.samples_sent", "", [&] { return count; });
  EXPECT_THAT(report(1), HasSubstr("*host.t.agent.samples_sent 1700000000 5\n"));
  count = 7;
  EXPECT_THAT(report(2), HasSubstr("*host.t.agent.samples_sent 1700000000 7\n")) << "that batch was not sent";
  report_.sent();
  count = 8;
  EXPECT_THAT(report(3), HasSubstr("*host.t.agent.samples_sent 1700000000 1\n"));
}

TEST_F(SelfReportTest, CpuCoversTheTimeBetweenReports) {
  EXPECT_THAT(report(1), Not(HasSubstr("cpu_percent"))) << "the first report covers no time";
  EXPECT_THAT(report(2), HasSubstr("host.t.agent.cpu_percent 1700000000 "));
}

TEST_F(SelfReportTest, MemoryIsReportedIfItCanBeRead) {
  EXPECT_THAT(report(1), Not(HasSubstr("rss_bytes")));
  root_.write("self/statm", "1000 3 1 1 0 1 0\n");
  EXPECT_THAT(report(2), HasSubstr("host.t.agent.rss_bytes 1700000000 12288\n"));
}

}  // namespace
}  // namespace statmill
