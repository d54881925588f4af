// The hwmon collector: temperatures, fans, voltages, currents and power from /sys/class/hwmon, and thermal
// zones that are not there.
//
// Some chips answer after 100 ms, or not at all: a thread reads them, once per 10 s (slow_collector.h). The
// list of sensors, their labels and limits is read once per minute.
#include <optional>
#include <string>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/sensor_list.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

constexpr unsigned kReadingsPerList = 6;
constexpr double kMillidegrees = 1e3;

class HwmonSource final : public SlowSource {
 public:
  explicit HwmonSource(std::string sys) : sys_(std::move(sys)) {}

  std::string_view name() const override { return "hwmon"; }

  void read() override {
    sys_.forget_refused();
    if (readings_++ % kReadingsPerList == 0) list_ = SensorList::find(sys_);
    values_.clear();
    for (const Sensor& sensor : list_.sensors) values_.push_back(value_of(sensor));
    zone_values_.clear();
    for (const ThermalZone& zone : list_.zones) zone_values_.push_back(sys_.number(zone.value_file));
  }

  CollectorStatus report(MetricSink& sink) override {
    bool has_series = false;
    for (size_t i = 0; i < values_.size(); ++i) {
      const Sensor& sensor = list_.sensors[i];
      const auto add = [&](GaugeFamily family, int64_t value) {
        sink.gauge(family, {sensor.chip, sensor.label}, static_cast<double>(value) / sensor.kind->per_unit);
      };
      if (!values_[i]) continue;
      has_series = true;
      add(sensor.kind->family, *values_[i]);
      if (sensor.max) add(*sensor.kind->max, *sensor.max);
      if (sensor.critical) add(*sensor.kind->critical, *sensor.critical);
    }
    for (size_t i = 0; i < zone_values_.size(); ++i) {
      const ThermalZone& zone = list_.zones[i];
      if (!zone_values_[i]) continue;
      has_series = true;
      sink.gauge("host.thermal.temperature_celsius", {zone.type, zone.number},
                 static_cast<double>(*zone_values_[i]) / kMillidegrees);
    }
    return sys_status(sys_, has_series,
                      list_.is_over_limit ? "only the first 128 chips, 512 sensors, 128 thermal zones" : "");
  }

  void keep(MetricSink& sink) const override {
    sink.keep("host.hwmon.");
    sink.keep("host.thermal.");
  }
  std::string waits_for() const override { return sys_.waits_for(); }

 private:
  // Returns nullopt for a sensor that is broken, not connected or asleep: its file fails, or says so.
  std::optional<int64_t> value_of(const Sensor& sensor) {
    if (!sensor.fault_file.empty() && sys_.count(sensor.fault_file).value_or(0) != 0) return std::nullopt;
    return sys_.number(sensor.value_file);
  }

  SysReader sys_;
  SensorList list_;
  unsigned readings_ = 0;
  std::vector<std::optional<int64_t>> values_;  // by sensor
  std::vector<std::optional<int64_t>> zone_values_;
};

}  // namespace

std::unique_ptr<Collector> make_hwmon_collector(const HostSources& sources) {
  return make_slow_collector(std::make_unique<HwmonSource>(sources.sys), sources.clock, sources.log);
}

}  // namespace statmill
