// SensorList: the sensors of a host, as /sys/class/hwmon and /sys/class/thermal name them
// (Documentation/hwmon/sysfs-interface.rst).
//
// A chip is known by the name of its driver and of its device, which stay the same over boots, unlike the
// number of its directory. A sensor is known by its label, or by its file if it has none.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/catalogue/catalogue.h"
#include "agent/collectors/sys_reader.h"

namespace statmill {

// What the sensors of one kind measure, and how their files write it.
struct SensorKind {
  std::string_view prefix;                 // of its files: temp1_input
  std::array<std::string_view, 2> values;  // endings of the file with the value; the first that is there
  double per_unit = 1;                     // counts of the file in the unit of the family
  GaugeFamily family;
  std::optional<GaugeFamily> max;       // temp1_max
  std::optional<GaugeFamily> critical;  // temp1_crit
};

struct Sensor {
  const SensorKind* kind;
  std::string chip;   // a tag
  std::string label;  // a tag: sensor
  std::string value_file;
  std::string fault_file;  // empty if there is none
  std::optional<int64_t> max;
  std::optional<int64_t> critical;
};

// A thermal zone that is no hwmon chip, too.
struct ThermalZone {
  std::string number;
  std::string type;
  std::string value_file;
};

struct SensorList {
  static constexpr size_t kSensorsMax = 512;  // a server with two sockets has about 150
  static constexpr size_t kChipsMax = 128;
  static constexpr size_t kZonesMax = 128;
  static constexpr size_t kLabelBytesMax = 64;

  std::vector<Sensor> sensors;
  std::vector<ThermalZone> zones;
  bool is_over_limit = false;

  // Lists what there is and reads the limits of each sensor. May block as long as reading the sensors does.
  static SensorList find(SysReader& sys);

 private:
  void add_chip(SysReader& sys, const std::string& directory);
  void add_sensor(SysReader& sys, Sensor sensor, const std::string& file);
  void add_zones(SysReader& sys);

  std::set<std::string> chips_;   // tags that are in use
  std::set<std::string> labels_;  // the same, with chip and kind
};

}  // namespace statmill
