// The rapl collector, with directories in the form of /sys/class/powercap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Pair;
using Level = CollectorStatus::Level;

class RaplCollectorTest : public SysFixture {
 protected:
  void write_zone(const std::string& zone, std::string_view name, uint64_t energy_uj) {
    const std::string folder = "class/powercap/" + zone + "/";
    write(folder + "name", std::string(name) + "\n");
    write(folder + "max_energy_range_uj", "1000000\n");
    write(folder + "energy_uj", std::to_string(energy_uj) + "\n");
  }
  uint64_t total(uint64_t energy_uj) {
    write_zone("intel-rapl:0", "package-0", energy_uj);
    EXPECT_EQ(collect(*rapl_), CollectorStatus{});
    return sink_.totals["host.rapl.energy_uj;zone=package-0"];
  }

  std::unique_ptr<Collector> rapl_ = make_rapl_collector(sources());
};

TEST_F(RaplCollectorTest, NamesZonesByTheirPackage) {
  write("class/powercap/intel-rapl/enabled", "1\n");
  write_zone("intel-rapl:0", "package-0", 1);
  write_zone("intel-rapl:0:0", "core", 2);
  write_zone("intel-rapl:0:1", "dram", 3);
  write_zone("intel-rapl:1", "package-1", 4);
  write_zone("intel-rapl:1:0", "dram", 5);
  write_zone("intel-rapl-mmio:0", "package-0", 6);
  EXPECT_EQ(collect(*rapl_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.rapl.energy_uj;zone=package-0", 1),
                                        Pair("host.rapl.energy_uj;zone=package-0/core", 2),
                                        Pair("host.rapl.energy_uj;zone=package-0/dram", 3),
                                        Pair("host.rapl.energy_uj;zone=package-1", 4),
                                        Pair("host.rapl.energy_uj;zone=package-1/dram", 5)));
}

TEST_F(RaplCollectorTest, GoesOnWhenTheCounterOfTheKernelBeginsAgain) {
  const uint64_t first = total(900'000);
  EXPECT_EQ(total(990'000) - first, 90'000U);
  EXPECT_EQ(total(30'000) - first, 90'000U + 10'000 + 30'000);
  EXPECT_EQ(total(40'000) - first, 140'000U);
  EXPECT_EQ(total(0) - first, 140'000U + 960'000) << "and again";
}

// 1 MJ per 10 s would be 100 kW.
TEST_F(RaplCollectorTest, ACounterThatWasResetAddsNothing) {
  write_zone("intel-rapl:0", "package-0", 1'000'000'000);
  write("class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
  EXPECT_EQ(collect(*rapl_), CollectorStatus{});
  write("class/powercap/intel-rapl:0/energy_uj", "5\n");
  EXPECT_EQ(collect(*rapl_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.rapl.energy_uj;zone=package-0", 1'000'000'000)));
  write("class/powercap/intel-rapl:0/energy_uj", "1005\n");
  EXPECT_EQ(collect(*rapl_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.rapl.energy_uj;zone=package-0", 1'000'001'000)));
}

TEST_F(RaplCollectorTest, ReadsOncePerSlotAndKeepsItsTotalsInBetween) {
  total(5);
  clock_.advance(Duration(-9'000));
  sink_ = {};
  EXPECT_EQ(rapl_->collect(sink_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, IsEmpty());
  EXPECT_EQ(sink_.kept, "host.rapl.");
}

TEST_F(RaplCollectorTest, AHostWithoutItIsOkAndHasNoSeries) {
  EXPECT_EQ(collect(*rapl_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, IsEmpty());
}

TEST_F(RaplCollectorTest, WithoutTheRightToReadItIsUnavailable) {
  write_zone("intel-rapl:0", "package-0", 1);
  const auto file = root_.path() / "class/powercap/intel-rapl:0/energy_uj";
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const WithoutFileRights without;
  const CollectorStatus status = collect(*rapl_);
  EXPECT_EQ(status.level, Level::kUnavailable);
  EXPECT_THAT(status.reason, EndsWith("energy_uj: Permission denied"));
  EXPECT_THAT(sink_.totals, IsEmpty());
  write_zone("intel-rapl:1", "package-1", 2);
  EXPECT_EQ(collect(*rapl_).level, Level::kDegraded);
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.rapl.energy_uj;zone=package-1", 2)));
}

// The truth: what the kernel counts, which only grows.
TEST(RaplTruth, HasTheEnergyThatTheKernelCounts) {
  const std::string path = "/sys/class/powercap/intel-rapl:0/energy_uj";
  uint64_t before = 0;
  if (!(std::ifstream(path) >> before)) GTEST_SKIP() << "skipped: " << path << " is not readable";
  const SystemClock clock;
  Log log(LogLevel::kError);
  ProcReader proc("/proc");
  RecordingSink sink;
  EXPECT_NE(make_rapl_collector({proc, "/sys", clock, log})->collect(sink).level, Level::kUnavailable);
  ASSERT_FALSE(sink.totals.empty());
  EXPECT_GE(sink.totals.begin()->second, before);
}

}  // namespace
}  // namespace statmill
