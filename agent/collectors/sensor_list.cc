#include "agent/collectors/sensor_list.h"

#include <algorithm>
#include <utility>

namespace statmill {
namespace {

constexpr SensorKind kSensorKinds[] = {
    {.prefix = "temp",
     .values = {"_input", ""},
     .per_unit = 1e3,
     .family = "host.hwmon.temperature_celsius",
     .max = GaugeFamily("host.hwmon.temperature_max_celsius"),
     .critical = GaugeFamily("host.hwmon.temperature_critical_celsius")},
    {.prefix = "fan", .values = {"_input", ""}, .family = "host.hwmon.fan_rpm", .max = {}, .critical = {}},
    {.prefix = "in",
     .values = {"_input", ""},
     .per_unit = 1e3,
     .family = "host.hwmon.voltage_volts",
     .max = {},
     .critical = {}},
    {.prefix = "curr",
     .values = {"_input", ""},
     .per_unit = 1e3,
     .family = "host.hwmon.current_amperes",
     .max = {},
     .critical = {}},
    {.prefix = "power",
     .values = {"_input", "_average"},
     .per_unit = 1e6,
     .family = "host.hwmon.power_watts",
     .max = {},
     .critical = {}},
};

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

// "temp1" of "temp1_input"; empty if the file is not the value of a sensor of this kind.
std::string_view sensor_of(std::string_view file, const SensorKind& kind, std::string_view ending) {
  if (ending.empty() || !file.starts_with(kind.prefix) || !file.ends_with(ending)) return {};
  file.remove_suffix(ending.size());
  const std::string_view number = file.substr(std::min(kind.prefix.size(), file.size()));
  return !number.empty() && std::all_of(number.begin(), number.end(), is_decimal_digit) ? file
                                                                                        : std::string_view();
}

// Names of firmware can be anything; tags are plain text.
bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= SensorList::kLabelBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string_view tag_or(std::string_view text, std::string_view otherwise) {
  return is_tag(text) ? text : otherwise;
}

// Two names that say where the chip is: "coretemp.0", "k10temp-0000:00:18.3".
std::string chip_of(std::string_view name, std::string_view device) {
  if (!is_tag(device)) return std::string(name);
  if (device.starts_with(name)) return std::string(device);
  return std::string(name) + "-" + std::string(device);
}

}  // namespace

SensorList SensorList::find(SysReader& sys) {
  SensorList list;
  const auto chips = sys.names("class/hwmon", "hwmon").value_or(std::vector<std::string>());
  list.is_over_limit = chips.size() > kChipsMax;
  for (size_t i = 0; i < std::min(chips.size(), kChipsMax); ++i) list.add_chip(sys, chips[i]);
  list.add_zones(sys);
  return list;
}

void SensorList::add_chip(SysReader& sys, const std::string& directory) {
  const std::string folder = "class/hwmon/" + directory + "/";
  const auto files = sys.names(folder);
  if (!files) return;
  const std::string name(tag_or(sys.text(folder + "name").value_or(""), directory));
  std::string chip = chip_of(name, sys.link_target(folder + "device"));
  if (!chips_.insert(chip).second) chips_.insert(chip += "-" + directory);
  for (const SensorKind& kind : kSensorKinds) {
    for (const std::string_view ending : kind.values) {
      for (const std::string& file : *files) {
        const std::string_view sensor = sensor_of(file, kind, ending);
        if (sensor.empty()) continue;
        Sensor found{.kind = &kind,
                     .chip = chip,
                     .label = std::string(sensor),
                     .value_file = folder + file,
                     .fault_file = {},
                     .max = {},
                     .critical = {}};
        const std::string fault = std::string(sensor) + "_fault";
        if (std::binary_search(files->begin(), files->end(), fault)) found.fault_file = folder + fault;
        add_sensor(sys, std::move(found), folder + std::string(sensor));
      }
    }
  }
}

// `file` is the path of its files without their endings.
void SensorList::add_sensor(SysReader& sys, Sensor sensor, const std::string& file) {
  const std::string same = sensor.chip + "\n" + std::string(sensor.kind->prefix) + "\n";
  if (labels_.contains(same + file)) return;  // power1_average of a sensor that has power1_input
  if (sensors.size() == kSensorsMax) {
    is_over_limit = true;
    return;
  }
  labels_.insert(same + file);
  const std::string label(tag_or(sys.text(file + "_label").value_or(""), sensor.label));
  if (labels_.insert(same + label).second) sensor.label = label;
  if (sensor.kind->max) sensor.max = sys.number(file + "_max");
  if (sensor.kind->critical) sensor.critical = sys.number(file + "_crit");
  sensors.push_back(std::move(sensor));
}

void SensorList::add_zones(SysReader& sys) {
  constexpr std::string_view kZone = "thermal_zone";
  for (const std::string& name : sys.names("class/thermal", kZone).value_or(std::vector<std::string>())) {
    const std::string folder = "class/thermal/" + name + "/";
    const auto chips = sys.names(folder, "hwmon");
    if (!chips || !chips->empty()) continue;  // the same sensor is a chip
    if (zones.size() == kZonesMax) {
      is_over_limit = true;
      return;
    }
    zones.push_back({.number = name.substr(kZone.size()),
                     .type = std::string(tag_or(sys.text(folder + "type").value_or(""), "unknown")),
                     .value_file = folder + "temp"});
  }
}

}  // namespace statmill
