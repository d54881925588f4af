// Collectors of the state of the host (uptime, entropy, clock, open files, NUMA), with fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/collectors/clock_state.h"
#include "agent/collectors/collector.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
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
  ManualClock clock_;
  RecordingSink sink_;
};

TEST_F(HostCollectorsTest, SystemReportsUptimeAndEntropy) {
  const auto system = make_system_collector(proc_);
  EXPECT_EQ(collect(*system).level, Level::kUnavailable);
  EXPECT_THAT(sink_.gauges, IsEmpty());
  write("uptime", "1074.18 212.98\n");
  EXPECT_EQ(collect(*system).level, Level::kDegraded);
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.system.uptime_s", 1074.18)));
  write("sys/kernel/random/entropy_avail", "256\n");
  EXPECT_EQ(collect(*system), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.system.entropy", 256), Pair("host.system.uptime_s", 1074.18)));
  for (const char* text : {"", "\n", "x 1\n", "-5 1\n", "nan 1\n"}) {
    write("uptime", text);
    EXPECT_EQ(collect(*system), CollectorStatus::degraded("missing: uptime is not as expected")) << text;
    EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.system.entropy", 256))) << text;
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

TEST_F(HostCollectorsTest, NumaReportsEachNodeThatIsOnline) {
  write("online", "0,2-3\n");
  write("node0/meminfo",
        "Node 0 MemTotal:       100 kB\nNode 0 MemFree:        40 kB\nNode 0 FilePages:      10 kB\n"
        "Node 0 AnonPages:       5 kB\nNode 0 Slab:            3 kB\n");
  write("node0/numastat",
        "numa_hit 11\nnuma_miss 12\nnuma_foreign 13\ninterleave_hit 14\nlocal_node 15\nother_node 16\n");
  write("node2/meminfo", "Node 2 MemTotal:       0 kB\n");
  write("node2/numastat", "numa_hit x\n");
  const auto numa = make_numa_collector(root_.path().string(), clock_);
  const CollectorStatus status = collect(*numa);
  EXPECT_EQ(status.level, Level::kDegraded);
  EXPECT_THAT(status.reason, HasSubstr("node3/meminfo: No such file"));
  EXPECT_THAT(
      sink_.gauges,
      ElementsAre(Pair("host.numa.anon_bytes;node=0", 5120), Pair("host.numa.file_bytes;node=0", 10'240),
                  Pair("host.numa.free_bytes;node=0", 40'960), Pair("host.numa.slab_bytes;node=0", 3072),
                  Pair("host.numa.total_bytes;node=0", 102'400), Pair("host.numa.total_bytes;node=2", 0)));
  EXPECT_THAT(sink_.totals,
              ElementsAre(Pair("host.numa.foreign;node=0", 13), Pair("host.numa.hits;node=0", 11),
                          Pair("host.numa.local;node=0", 15), Pair("host.numa.misses;node=0", 12),
                          Pair("host.numa.other;node=0", 16)));
  collect(*numa);
  EXPECT_THAT(sink_.totals, IsEmpty()) << "once in a slot";
  EXPECT_EQ(sink_.kept, "host.numa.");
}

TEST_F(HostCollectorsTest, NumaStopsAtItsLimit) {
  write("online", "0-99\n");
  for (int node = 0; node < 100; ++node) {
    write("node" + std::to_string(node) + "/meminfo", "Node 0 MemTotal: 1 kB\n");
    write("node" + std::to_string(node) + "/numastat", "numa_hit 1\n");
  }
  const auto numa = make_numa_collector(root_.path().string(), clock_);
  EXPECT_EQ(collect(*numa), CollectorStatus::degraded("missing: nodes after the first 64"));
  EXPECT_EQ(sink_.totals.size(), 64U);
}

TEST_F(HostCollectorsTest, NumaIsUnavailableWithoutNodes) {
  const auto numa = make_numa_collector(root_.path().string(), clock_);
  EXPECT_EQ(collect(*numa).level, Level::kUnavailable);
  clock_.advance(std::chrono::seconds(10));
  write("online", "nonsense\n");
  EXPECT_EQ(collect(*numa), CollectorStatus::unavailable("online has an unknown format"));
}

}  // namespace
}  // namespace statmill
