// Collectors of the state of the host (uptime), with fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/collector.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Level = CollectorStatus::Level;

class HostCollectorsTest : public testing::Test {
 protected:
  void write(std::string_view file, std::string_view text) { root_.write(file, text); }
  // Collects once, into sink_.
  CollectorStatus collect(Collector& collector) {
    sink_ = {};
    return collector.collect(sink_);
  }

  const TempDirectory root_;
  ProcReader proc_{root_.path().string()};
  RecordingSink sink_;
};

TEST_F(HostCollectorsTest, SystemReportsTheUptime) {
  const auto system = make_system_collector(proc_);
  EXPECT_EQ(collect(*system).level, Level::kUnavailable);
  EXPECT_THAT(sink_.gauges, IsEmpty());
  write("uptime", "1074.18 212.98\n");
  EXPECT_EQ(collect(*system), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.system.uptime_s", 1074.18)));
  for (const char* text : {"", "\n", "x 1\n", "-5 1\n", "nan 1\n"}) {
    write("uptime", text);
    EXPECT_EQ(collect(*system), CollectorStatus::unavailable("uptime has an unknown format")) << text;
    EXPECT_THAT(sink_.gauges, IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace statmill
