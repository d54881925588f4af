// Collectors of the state of the host (uptime, clock), with fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/clock_state.h"
#include "agent/collectors/collector.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
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

TEST_F(HostCollectorsTest, ClockReportsOffsetAndErrors) {
  ClockState state{.is_synchronized = true,
                   .offset_ns = -1500,
                   .estimated_error_ns = 2000,
                   .max_error_ns = 3000,
                   .frequency_ppm = -12.5};
  const auto clock = make_clock_collector([&] { return state; });
  EXPECT_EQ(collect(*clock), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.clock.estimated_error_ns", 2000),
                          Pair("host.clock.frequency_ppm", -12.5), Pair("host.clock.max_error_ns", 3000),
                          Pair("host.clock.offset_ns", -1500), Pair("host.clock.synchronized", 1)));
  state = {.max_error_ns = 16e9};
  EXPECT_EQ(collect(*clock), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair("host.clock.synchronized", 0)), Not(Contains(Key("host.clock.offset_ns")))))
      << "an offset of 0 would be a lie";
}

TEST_F(HostCollectorsTest, ClockThatCannotBeReadIsUnavailable) {
  const auto clock = make_clock_collector([] {
    return Error{ErrorCode::kUnavailable, "adjtimex: Operation not permitted"};
  });
  EXPECT_EQ(collect(*clock), CollectorStatus::unavailable("adjtimex: Operation not permitted"));
  EXPECT_THAT(sink_.gauges, IsEmpty());
}

}  // namespace
}  // namespace statmill
