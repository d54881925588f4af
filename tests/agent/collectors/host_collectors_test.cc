// Collectors of the state of the host (uptime, clock, open files), with fixtures.
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

TEST_F(HostCollectorsTest, FilesReportsOpenFilesAndInodes) {
  write("sys/fs/file-nr", "924\t0\t2466193\n");
  write("sys/fs/inode-nr", "66063\t1200\n");
  const auto files = make_files_collector(proc_);
  EXPECT_EQ(collect(*files), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.files.inodes", 66063), Pair("host.files.inodes_unused", 1200),
                          Pair("host.files.max", 2466193), Pair("host.files.open", 924)));
  write("sys/fs/file-nr", "924\t0\t9223372036854775807\n");
  EXPECT_EQ(collect(*files), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, Not(Contains(Key("host.files.max")))) << "there is no maximum";
}

TEST_F(HostCollectorsTest, FilesNamesWhatIsMissing) {
  const auto files = make_files_collector(proc_);
  EXPECT_EQ(collect(*files).level, Level::kUnavailable);
  EXPECT_THAT(sink_.gauges, IsEmpty());
  write("sys/fs/file-nr", "924 x 3");
  write("sys/fs/inode-nr", "1 2");
  EXPECT_EQ(collect(*files), CollectorStatus::degraded("missing: sys/fs/file-nr is not as expected"));
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.files.inodes", 1), Pair("host.files.inodes_unused", 2)));
}

}  // namespace
}  // namespace statmill
