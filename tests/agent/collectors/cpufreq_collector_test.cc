// The cpufreq collector, with directories in the form of /sys/devices/system/cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "tests/agent/collectors/sys_fixture.h"

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

class CpufreqCollectorTest : public SysFixture {
 protected:
  void write_policy(const std::string& number, std::string_view cpus, std::string_view now_khz) {
    const std::string folder = "devices/system/cpu/cpufreq/policy" + number + "/";
    write(folder + "affected_cpus", cpus);
    write(folder + "scaling_cur_freq", now_khz);
    write(folder + "scaling_min_freq", "800000\n");
    write(folder + "scaling_max_freq", "3500000\n");
  }
  void write_cpu(const std::string& number, std::string_view package, std::string_view core,
                 std::string_view throttles) {
    const std::string folder = "devices/system/cpu/cpu" + number + "/";
    write(folder + "topology/physical_package_id", package);
    write(folder + "topology/core_id", core);
    write(folder + "thermal_throttle/core_throttle_count", throttles);
    write(folder + "thermal_throttle/core_throttle_total_time_ms", "12\n");
    write(folder + "thermal_throttle/package_throttle_count", "40\n");
    write(folder + "thermal_throttle/package_throttle_total_time_ms", "50\n");
  }

  std::unique_ptr<Collector> cpufreq_ = make_cpufreq_collector(sources());
};

TEST_F(CpufreqCollectorTest, ReportsTheClockOfEachCpuOfAPolicyWithItsLimits) {
  write_policy("0", "0 2\n", "1200000\n");
  write_policy("1", "1\n", "2600000\n");
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.cpu.frequency_hertz;cpu=0", 1.2e9)),
                                  Contains(Pair("host.cpu.frequency_hertz;cpu=2", 1.2e9)),
                                  Contains(Pair("host.cpu.frequency_hertz;cpu=1", 2.6e9)),
                                  Contains(Pair("host.cpu.frequency_min_hertz;cpu=1", 8e8)),
                                  Contains(Pair("host.cpu.frequency_max_hertz;cpu=2", 3.5e9))));
  EXPECT_EQ(sink_.gauges.size(), 9U);
}

TEST_F(CpufreqCollectorTest, AClockThatIsNotKnownHasNoSeries) {
  write_policy("0", "0\n", "<unknown>\n");
  write_policy("1", "1\n", "0\n");
  write_policy("2", "\n", "1\n");  // its CPUs are offline
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Key("host.cpu.frequency_max_hertz;cpu=0")),
                                  Not(Contains(Key("host.cpu.frequency_hertz;cpu=0"))),
                                  Not(Contains(Key("host.cpu.frequency_hertz;cpu=1")))));
  EXPECT_EQ(sink_.gauges.size(), 4U);
}

TEST_F(CpufreqCollectorTest, ReadsTheClockEachTimeAndItsLimitsOncePerMinute) {
  write_policy("0", "0\n", "1200000\n");
  collect(*cpufreq_);
  write("devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "900000\n");
  write("devices/system/cpu/cpufreq/policy0/scaling_max_freq", "1000000\n");
  collect(*cpufreq_);
  EXPECT_EQ(sink_.gauges["host.cpu.frequency_hertz;cpu=0"], 9e8);
  EXPECT_EQ(sink_.gauges["host.cpu.frequency_max_hertz;cpu=0"], 3.5e9);
  for (int i = 0; i < 5; ++i) collect(*cpufreq_);
  EXPECT_EQ(sink_.gauges["host.cpu.frequency_max_hertz;cpu=0"], 1e9);
}

TEST_F(CpufreqCollectorTest, CountsThrottlesOncePerCoreAndPackage) {
  write_cpu("0", "0\n", "0\n", "7\n");
  write_cpu("1", "0\n", "1\n", "8\n");
  write_cpu("2", "1\n", "0\n", "9\n");
  write_cpu("3", "0\n", "0\n", "7\n");  // the second thread of core 0
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.cpu.core_throttled_ns;core=0;package=0", 12'000'000),
                                        Pair("host.cpu.core_throttled_ns;core=0;package=1", 12'000'000),
                                        Pair("host.cpu.core_throttled_ns;core=1;package=0", 12'000'000),
                                        Pair("host.cpu.core_throttles;core=0;package=0", 7),
                                        Pair("host.cpu.core_throttles;core=0;package=1", 9),
                                        Pair("host.cpu.core_throttles;core=1;package=0", 8),
                                        Pair("host.cpu.package_throttled_ns;package=0", 50'000'000),
                                        Pair("host.cpu.package_throttled_ns;package=1", 50'000'000),
                                        Pair("host.cpu.package_throttles;package=0", 40),
                                        Pair("host.cpu.package_throttles;package=1", 40)));
}

TEST_F(CpufreqCollectorTest, KeepsItsSeriesBetweenReadings) {
  write_policy("0", "0\n", "1200000\n");
  write_cpu("0", "0\n", "0\n", "7\n");
  EXPECT_THAT(values_in_one_slot(*cpufreq_), Pair(7, 7));
}

TEST_F(CpufreqCollectorTest, OldKernelsHaveNoTimeOfThrottles) {
  write_cpu("0", "0\n", "0\n", "7\n");
  remove("devices/system/cpu/cpu0/thermal_throttle/core_throttle_total_time_ms");
  remove("devices/system/cpu/cpu0/thermal_throttle/package_throttle_total_time_ms");
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus{});
  EXPECT_THAT(sink_.totals, ElementsAre(Pair("host.cpu.core_throttles;core=0;package=0", 7),
                                        Pair("host.cpu.package_throttles;package=0", 40)));
}

TEST_F(CpufreqCollectorTest, AHostWithoutEitherIsOkAndHasNoSeries) {
  write("devices/system/cpu/cpu0/topology/core_id", "0\n");
  write("devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  EXPECT_THAT(sink_.totals, IsEmpty());
}

TEST_F(CpufreqCollectorTest, StopsAtItsLimitAndReportsIt) {
  write_policy("0", "1023 1024\n", "1200000\n");
  EXPECT_EQ(collect(*cpufreq_), CollectorStatus::degraded("only the first 1024 CPUs"));
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Key("host.cpu.frequency_hertz;cpu=1023")),
                                  Not(Contains(Key("host.cpu.frequency_hertz;cpu=1024")))));
}

// The truth: no clock of this host is outside of what its hardware can do.
TEST(CpufreqTruth, ClocksAreWithinTheHardwaresLimits) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "skipped: the clock of CPU 0 is not in /sys";
  const SystemClock clock;
  Log log(LogLevel::kError);
  ProcReader proc("/proc");
  const auto cpufreq = make_cpufreq_collector({proc, "/sys", clock, log});
  RecordingSink sink;
  EXPECT_EQ(cpufreq->collect(sink), CollectorStatus{});
  double min_khz = 0;
  double max_khz = 0;
  std::ifstream(folder + "cpuinfo_min_freq") >> min_khz;
  std::ifstream(folder + "cpuinfo_max_freq") >> max_khz;
  EXPECT_GE(sink.gauges["host.cpu.frequency_hertz;cpu=0"], 0.5e3 * min_khz);
  EXPECT_LE(sink.gauges["host.cpu.frequency_hertz;cpu=0"], 1.5e3 * max_khz);
}

}  // namespace
}  // namespace statmill
