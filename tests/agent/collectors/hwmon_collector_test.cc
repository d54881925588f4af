// The hwmon collector, with directories in the form of /sys/class/hwmon and /sys/class/thermal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "agent/collectors/sensor_list.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using Level = CollectorStatus::Level;

class HwmonCollectorTest : public SysFixture {
 protected:
  // The files of one chip: {"temp1_input", "41000\n"}.
  void write_chip(const std::string& number, std::string_view name, std::string_view device,
                  std::initializer_list<std::pair<std::string, std::string_view>> files) {
    const std::string folder = "class/hwmon/hwmon" + number + "/";
    write(folder + "name", std::string(name) + "\n");
    if (!device.empty()) link(folder + "device", "../../../" + std::string(device));
    for (const auto& [file, text] : files) write(folder + file, text);
  }

  std::unique_ptr<Collector> hwmon_ = make_hwmon_collector(sources());
};

TEST_F(HwmonCollectorTest, ReportsTemperaturesWithTheirLimits) {
  write_chip("1", "coretemp", "coretemp.0",
             {{"temp1_input", "41000\n"},
              {"temp1_label", "Package id 0\n"},
              {"temp1_max", "80000\n"},
              {"temp1_crit", "100000\n"},
              {"temp1_crit_alarm", "0\n"},
              {"temp2_input", "-5500\n"}});
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(
      sink_.gauges,
      ElementsAre(
          Pair("host.hwmon.temperature_celsius;chip=coretemp.0;sensor=Package%20id%200", 41),
          Pair("host.hwmon.temperature_celsius;chip=coretemp.0;sensor=temp2", -5.5),
          Pair("host.hwmon.temperature_critical_celsius;chip=coretemp.0;sensor=Package%20id%200", 100),
          Pair("host.hwmon.temperature_max_celsius;chip=coretemp.0;sensor=Package%20id%200", 80)));
}

TEST_F(HwmonCollectorTest, ReportsFansVoltagesCurrentsAndPower) {
  write_chip("0", "nct6798", "nct6775.656",
             {{"fan1_input", "1200\n"},
              {"fan2_input", "0\n"},
              {"fan2_min", "300\n"},
              {"in0_input", "1016\n"},
              {"in0_label", "Vcore\n"},
              {"curr1_input", "2500\n"},
              {"power1_average", "65000000\n"},
              {"power2_input", "1500000\n"},
              {"power2_average", "9\n"},
              {"intrusion0_alarm", "1\n"},
              {"pwm1", "255\n"}});
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.hwmon.current_amperes;chip=nct6798-nct6775.656;sensor=curr1", 2.5),
                          Pair("host.hwmon.fan_rpm;chip=nct6798-nct6775.656;sensor=fan1", 1200),
                          Pair("host.hwmon.fan_rpm;chip=nct6798-nct6775.656;sensor=fan2", 0),
                          Pair("host.hwmon.power_watts;chip=nct6798-nct6775.656;sensor=power1", 65),
                          Pair("host.hwmon.power_watts;chip=nct6798-nct6775.656;sensor=power2", 1.5),
                          Pair("host.hwmon.voltage_volts;chip=nct6798-nct6775.656;sensor=Vcore", 1.016)));
}

TEST_F(HwmonCollectorTest, ASensorThatIsBrokenOrAsleepHasNoSeries) {
  write_chip("0", "nct", "nct.1",
             {{"temp1_input", "-128000\n"},
              {"temp1_fault", "1\n"},
              {"temp2_input", "30000\n"},
              {"temp2_fault", "0\n"},
              {"temp3_max", "1\n"},
              {"temp4_input", "nonsense\n"}});
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.hwmon.temperature_celsius;chip=nct.1;sensor=temp2", 30)));
}

TEST_F(HwmonCollectorTest, ChipsHaveNamesThatStayAndDiffer) {
  write_chip("0", "nvme", "nvme0", {{"temp1_input", "1000\n"}});
  write_chip("1", "nvme", "nvme1", {{"temp1_input", "2000\n"}});
  write_chip("2", "k10temp", "0000:00:18.3", {{"temp1_input", "3000\n"}});
  write_chip("3", "acpitz", "", {{"temp1_input", "4000\n"}});
  write_chip("4", "acpitz", "", {{"temp1_input", "5000\n"}});
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.hwmon.temperature_celsius;chip=acpitz-hwmon4;sensor=temp1", 5),
                          Pair("host.hwmon.temperature_celsius;chip=acpitz;sensor=temp1", 4),
                          Pair("host.hwmon.temperature_celsius;chip=k10temp-0000:00:18.3;sensor=temp1", 3),
                          Pair("host.hwmon.temperature_celsius;chip=nvme0;sensor=temp1", 1),
                          Pair("host.hwmon.temperature_celsius;chip=nvme1;sensor=temp1", 2)));
}

TEST_F(HwmonCollectorTest, LabelsOfFirmwareAreUsedOnlyIfTheyAreUniqueAndPlain) {
  write_chip("0", "chip", "chip.0",
             {{"temp1_input", "1000\n"},
              {"temp1_label", "CPU\n"},
              {"temp2_input", "2000\n"},
              {"temp2_label", "CPU\n"},
              {"temp3_input", "3000\n"},
              {"temp3_label", "\x1b[2J\n"},
              {"fan1_input", "4\n"},
              {"fan1_label", "CPU\n"}});
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.hwmon.fan_rpm;chip=chip.0;sensor=CPU", 4),
                                        Pair("host.hwmon.temperature_celsius;chip=chip.0;sensor=CPU", 1),
                                        Pair("host.hwmon.temperature_celsius;chip=chip.0;sensor=temp2", 2),
                                        Pair("host.hwmon.temperature_celsius;chip=chip.0;sensor=temp3", 3)));
}

TEST_F(HwmonCollectorTest, ReportsThermalZonesThatAreNoChips) {
  write("class/thermal/thermal_zone0/type", "acpitz\n");
  write("class/thermal/thermal_zone0/temp", "27800\n");
  write("class/thermal/thermal_zone0/hwmon0/name", "acpitz\n");
  write("class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  write("class/thermal/thermal_zone1/temp", "41000\n");
  write("class/thermal/thermal_zone2/type", "asleep\n");  // its temp fails
  write("class/thermal/cooling_device0/type", "Processor\n");
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              ElementsAre(Pair("host.thermal.temperature_celsius;type=x86_pkg_temp;zone=1", 41)));
}

TEST_F(HwmonCollectorTest, KeepsItsSeriesBetweenReadings) {
  write_chip("0", "nvme", "nvme0", {{"temp1_input", "1000\n"}, {"temp1_max", "2000\n"}});
  write("class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  write("class/thermal/thermal_zone1/temp", "41000\n");
  EXPECT_THAT(values_in_one_slot(*hwmon_), Pair(3, 3));
}

TEST_F(HwmonCollectorTest, FindsNewSensorsWithinAMinute) {
  EXPECT_EQ(collect(*hwmon_), CollectorStatus{}) << "a host without sensors is no fault";
  EXPECT_THAT(sink_.gauges, IsEmpty());
  write_chip("0", "nvme", "nvme0", {{"temp1_input", "1000\n"}});
  for (int i = 0; i < 6; ++i) collect(*hwmon_);
  EXPECT_EQ(sink_.gauges.size(), 1U);
  remove("class/hwmon/hwmon0");
  collect(*hwmon_);
  EXPECT_THAT(sink_.gauges, IsEmpty()) << "gone at once";
}

TEST_F(HwmonCollectorTest, ASensorThatItMayNotReadMakesItDegraded) {
  write_chip("0", "chip", "chip.0", {{"temp1_input", "1000\n"}, {"temp2_input", "2000\n"}});
  const auto file = root_.path() / "class/hwmon/hwmon0/temp2_input";
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const WithoutFileRights without;  // the thread that reads has its rights from this one
  EXPECT_EQ(collect(*hwmon_), CollectorStatus::degraded(file.string() + ": Permission denied"));
  EXPECT_EQ(sink_.gauges.size(), 1U);
  std::filesystem::permissions(root_.path() / "class/hwmon/hwmon0/temp1_input", std::filesystem::perms::none);
  EXPECT_EQ(collect(*hwmon_).level, Level::kUnavailable);
}

TEST_F(HwmonCollectorTest, StopsAtItsLimitAndReportsIt) {
  for (int i = 0; i < 513; ++i) write("class/hwmon/hwmon0/temp" + std::to_string(i) + "_input", "1000\n");
  EXPECT_EQ(collect(*hwmon_),
            CollectorStatus::degraded("only the first 128 chips, 512 sensors, 128 thermal zones"));
  EXPECT_EQ(sink_.gauges.size(), SensorList::kSensorsMax);
}

TEST_F(HwmonCollectorTest, AChipThatDoesNotAnswerHoldsUpNothing) {
  write_chip("0", "slow", "slow.0", {});
  const std::string path = root_.path().string() + "/class/hwmon/hwmon0/temp1_input";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);  // blocks its reader
  EXPECT_EQ(collect(*hwmon_).level, Level::kDegraded);
  EXPECT_EQ(collect(*hwmon_), CollectorStatus::degraded("waits for " + path));
  EXPECT_THAT(sink_.gauges, IsEmpty());
  const Descriptor writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::write(writer.get(), "7000\n", 5), 5);
  while (sink_.gauges.empty()) {
    sink_ = {};
    hwmon_->collect(sink_);
  }
  EXPECT_THAT(sink_.gauges, ElementsAre(Pair("host.hwmon.temperature_celsius;chip=slow.0;sensor=temp1", 7)));
}

// The truth: as many temperatures as this host has files with one that can be read.
TEST(HwmonTruth, HasEachTemperatureOfTheHost) {
  size_t want = 0;
  std::error_code unknown;
  for (const auto& chip : std::filesystem::directory_iterator("/sys/class/hwmon", unknown)) {
    for (const auto& file : std::filesystem::directory_iterator(chip.path(), unknown)) {
      const std::string name = file.path().filename();
      int64_t value = 0;
      if (name.starts_with("temp") && name.ends_with("_input") && std::ifstream(file.path()) >> value) ++want;
    }
  }
  if (want == 0) GTEST_SKIP() << "skipped: this host has no temperature in /sys/class/hwmon";
  const SystemClock clock;
  Log log(LogLevel::kError);
  ProcReader proc("/proc");
  const auto hwmon = make_hwmon_collector({proc, "/sys", clock, log});
  RecordingSink sink;
  hwmon->collect(sink);
  size_t found = 0;
  for (const auto& [name, value] : sink.gauges) {
    if (!name.starts_with("host.hwmon.temperature_celsius;")) continue;
    ++found;
    EXPECT_GT(value, -60) << name;
    EXPECT_LT(value, 130) << name;
  }
  EXPECT_LE(found, want) << "a sensor with a fault is left out";
  EXPECT_GE(found + 2, want);
}

}  // namespace
}  // namespace statmill
