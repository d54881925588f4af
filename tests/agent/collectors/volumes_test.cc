// The md, multipath and zfs collectors, with a directory of fixtures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;
using Level = CollectorStatus::Level;

class VolumesTest : public SysFixture {
 protected:
  // An array with the disks {"sda1", "in_sync", "0"}: name, flags and slot.
  struct Disk {
    std::string_view name;
    std::string_view flags;
    std::string_view slot;
  };
  void write_array(const std::string& device, std::string_view state, std::initializer_list<Disk> disks) {
    const std::string folder = "block/" + device + "/md/";
    write(folder + "array_state", state);
    write(folder + "raid_disks", "2\n");
    write(folder + "degraded", "1\n");
    write(folder + "mismatch_cnt", "256\n");
    write(folder + "sync_action", "idle\n");
    write(folder + "sync_completed", "none\n");
    write(folder + "sync_speed", "none\n");
    for (const Disk& disk : disks) {
      write(folder + "dev-" + std::string(disk.name) + "/state", disk.flags);
      write(folder + "dev-" + std::string(disk.name) + "/slot", disk.slot);
    }
  }
  // A device of the device mapper with the states of its paths.
  void write_map(const std::string& device, std::string_view uuid,
                 std::initializer_list<std::string_view> states) {
    write("block/" + device + "/dm/uuid", uuid);
    std::filesystem::create_directories(root_.path() / "block" / device / "slaves");
    char path = 'a';
    for (const std::string_view state : states)
      write("block/" + device + "/slaves/sd" + std::string(1, path++) + "/device/state", state);
  }
  void write_arcstats(std::string_view l2_size) {
    write("spl/kstat/zfs/arcstats",
          "13 1 0x01 98 26656 1 2\nname                            type data\nhits                           "
          " 4    70\n"
          "misses                          4    7\nc                               4    900\n"
          "c_max                           4    1000\nsize                            4    800\n"
          "l2_hits                         4    0\nl2_misses                       4    5\n"
          "l2_size                         4    " +
              std::string(l2_size) + "\nmemory_throttle_count           4    1\n");
  }
};

TEST_F(VolumesTest, MdReportsTheStateAndTheDisksOfAnArray) {
  write_array("md0", "clean\n",
              {{"sda1", "in_sync,write_mostly\n", "0\n"},
               {"sdb1", "faulty\n", "1\n"},
               {"sdc1", "spare\n", "1\n"},
               {"sdd1", "spare\n", "none\n"},
               {"nvme0n1", "journal\n", "journal\n"}});
  EXPECT_EQ(collect(*make_md_collector(sources())), CollectorStatus{});
  EXPECT_THAT(
      sink_.gauges,
      ElementsAre(
          Pair("host.md.disks;device=md0;state=active", 1), Pair("host.md.disks;device=md0;state=faulty", 1),
          Pair("host.md.disks;device=md0;state=rebuilding", 1),
          Pair("host.md.disks;device=md0;state=spare", 1), Pair("host.md.disks_missing;device=md0", 1),
          Pair("host.md.disks_required;device=md0", 2), Pair("host.md.mismatched_bytes;device=md0", 131'072),
          Pair("host.md.state;device=md0;state=active", 1), Pair("host.md.state;device=md0;state=broken", 0),
          Pair("host.md.state;device=md0;state=inactive", 0),
          Pair("host.md.state;device=md0;state=readonly", 0)));
}

TEST_F(VolumesTest, MdReportsHowFarARebuildIs) {
  write_array("md127", "active\n", {});
  write("block/md127/md/sync_action", "recover\n");
  write("block/md127/md/sync_completed", "250 / 1000\n");
  write("block/md127/md/sync_speed", "2048\n");
  write("block/md127/md/raid_disks", "3 (2)\n");
  const auto md = make_md_collector(sources());
  EXPECT_EQ(collect(*md), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              AllOf(Contains(Pair("host.md.sync_percent;action=recover;device=md127", 25)),
                    Contains(Pair("host.md.sync_bytes_per_second;action=recover;device=md127", 2 << 20)),
                    Contains(Pair("host.md.disks_required;device=md127", 3))));
  write("block/md127/md/sync_completed", "delayed\n");
  write("block/md127/md/sync_speed", "none\n");
  collect(*md);
  EXPECT_THAT(sink_.gauges,
              AllOf(Not(Contains(Key("host.md.sync_percent;action=recover;device=md127"))),
                    Not(Contains(Key("host.md.sync_bytes_per_second;action=recover;device=md127")))));
}

TEST_F(VolumesTest, MdKnowsTheStatesOfTheKernel) {
  const struct {
    const char* text;
    const char* state;
  } table[] = {{"clear\n", "inactive"},       {"inactive\n", "inactive"},  {"readonly\n", "readonly"},
               {"read-auto\n", "readonly"},   {"clean\n", "active"},       {"active\n", "active"},
               {"write-pending\n", "active"}, {"active-idle\n", "active"}, {"suspended\n", "active"},
               {"broken\n", "broken"}};
  const auto md = make_md_collector(sources());
  for (const auto& t : table) {
    write_array("md0", t.text, {});
    collect(*md);
    EXPECT_EQ(sink_.gauges["host.md.state;device=md0;state=" + std::string(t.state)], 1) << t.text;
  }
  write_array("md0", "of-the-future\n", {});
  collect(*md);
  EXPECT_THAT(sink_.gauges, Not(Contains(Key("host.md.state;device=md0;state=active"))));
}

TEST_F(VolumesTest, AnArrayWithoutRedundancyLacksNoDisks) {
  write("block/md1/md/array_state", "clean\n");
  write("block/md1/md/raid_disks", "2\n");
  EXPECT_EQ(collect(*make_md_collector(sources())), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Not(Contains(Key("host.md.disks_missing;device=md1"))),
                                  Not(Contains(Key("host.md.mismatched_bytes;device=md1")))));
}

TEST_F(VolumesTest, MdWithAFileThatItMayNotReadIsDegraded) {
  write_array("md0", "clean\n", {});
  const auto file = root_.path() / "block/md0/md/degraded";
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const WithoutFileRights without;
  EXPECT_EQ(collect(*make_md_collector(sources())),
            CollectorStatus::degraded(file.string() + ": Permission denied"));
  EXPECT_THAT(sink_.gauges, Not(Contains(Key("host.md.disks_missing;device=md0"))));
}

TEST_F(VolumesTest, MultipathCountsPathsByState) {
  write_map("dm-0", "mpath-3600508b1001c1\n", {"running\n", "running\n", "offline\n", "transport-offline\n"});
  write_map("dm-1", "mpath-3600508b1001c2\n", {"blocked\n", "of-the-future\n"});
  write_map("dm-2", "mpath-nvme.1\n", {"live\n", "connecting\n"});
  write_map("dm-3", "LVM-x\n", {"running\n"});
  EXPECT_EQ(collect(*make_multipath_collector(sources())), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.multipath.paths;device=dm-0;state=offline", 1),
                                        Pair("host.multipath.paths;device=dm-0;state=running", 2),
                                        Pair("host.multipath.paths;device=dm-0;state=transport-offline", 1),
                                        Pair("host.multipath.paths;device=dm-1;state=blocked", 1),
                                        Pair("host.multipath.paths;device=dm-1;state=other", 1),
                                        Pair("host.multipath.paths;device=dm-1;state=running", 0),
                                        Pair("host.multipath.paths;device=dm-2;state=connecting", 1),
                                        Pair("host.multipath.paths;device=dm-2;state=live", 1)));
}

TEST_F(VolumesTest, MultipathStopsAtItsLimitsAndReportsIt) {
  write_map("dm-0", "mpath-3600508b1001c1\n", {});
  for (int i = 0; i < 65; ++i)
    write("block/dm-0/slaves/sd" + std::to_string(i) + "/device/state", "running\n");
  const auto multipath = make_multipath_collector(sources());
  EXPECT_EQ(collect(*multipath), CollectorStatus::degraded("only the first 64 paths of dm-0"));
  EXPECT_EQ(sink_.gauges["host.multipath.paths;device=dm-0;state=running"], 64);
}

TEST_F(VolumesTest, ZfsReportsItsCache) {
  write_arcstats("0");
  const auto zfs = make_zfs_collector(sources());
  EXPECT_EQ(collect(*zfs), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.zfs.arc_bytes", 800), Pair("host.zfs.arc_max_bytes", 1000),
                                        Pair("host.zfs.arc_target_bytes", 900)));
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.zfs.arc_hits", 70), Pair("host.zfs.arc_misses", 7),
                                        Pair("host.zfs.arc_throttles", 1)))
      << "there is no cache on disks";
  write_arcstats("4096");
  collect(*zfs);
  EXPECT_THAT(sink_.gauges, Contains(Pair("host.zfs.l2arc_bytes", 4096)));
  EXPECT_THAT(sink_.totals, IsSupersetOf({Pair("host.zfs.l2arc_hits", 0), Pair("host.zfs.l2arc_misses", 5)}));
  write("spl/kstat/zfs/arcstats", "hits 4 1\n");
  EXPECT_EQ(collect(*zfs),
            CollectorStatus::degraded("arcstats lacks size c c_max misses memory_throttle_count"));
}

TEST_F(VolumesTest, TheyKeepTheirSeriesBetweenReadings) {
  write_array("md0", "clean\n", {});
  write_map("dm-0", "mpath-3600508b1001c1\n", {"running\n", "offline\n"});
  EXPECT_THAT(values_in_one_slot(*make_md_collector(sources())), Pair(11, 11));
  EXPECT_THAT(values_in_one_slot(*make_multipath_collector(sources())), Pair(2, 2));
}

TEST_F(VolumesTest, AHostWithoutThemIsOkAndHasNoSeries) {
  for (const auto& make : {make_md_collector, make_multipath_collector, make_zfs_collector}) {
    const auto collector = make(sources());
    EXPECT_EQ(collect(*collector), CollectorStatus{}) << collector->name();
    EXPECT_THAT(sink_.gauges, IsEmpty());
    EXPECT_THAT(sink_.totals, IsEmpty());
  }
}

// The truth: the arrays, multipath devices and ZFS of this host.
class VolumesTruth : public testing::Test {
 protected:
  CollectorStatus collect(std::unique_ptr<Collector> collector) { return collector->collect(sink_); }
  HostSources sources() { return {proc_, "/sys", clock_, log_}; }

  ProcReader proc_{"/proc"};
  SystemClock clock_;
  Log log_{LogLevel::kError};
  RecordingSink sink_;
};

TEST_F(VolumesTruth, MdHasEachArray) {
  size_t arrays = 0;
  EXPECT_EQ(collect(make_md_collector(sources())), CollectorStatus{});
  std::error_code unknown;
  for (const auto& device : std::filesystem::directory_iterator("/sys/block", unknown)) {
    const std::string name = device.path().filename();
    if (!std::filesystem::exists(device.path() / "md/array_state")) continue;
    ++arrays;
    EXPECT_THAT(sink_.gauges, Contains(Key("host.md.disks_required;device=" + name)));
  }
  EXPECT_EQ(sink_.gauges.empty(), arrays == 0);
  if (arrays == 0) GTEST_SKIP() << "skipped: this host has no array";
}

TEST_F(VolumesTruth, ZfsHasTheSizeOfItsCache) {
  std::ifstream file("/proc/spl/kstat/zfs/arcstats");
  if (!file) GTEST_SKIP() << "skipped: this host has no ZFS";
  EXPECT_EQ(collect(make_zfs_collector(sources())), CollectorStatus{});
  EXPECT_GT(sink_.gauges["host.zfs.arc_bytes"], 0);
}

}  // namespace
}  // namespace statmill
