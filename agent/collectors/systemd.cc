// The systemd collector: whether the system is as it should be, and which units failed, as systemd says.
//
// A thread asks it, once per 10 s (slow_collector.h): process 1 may be busy, and the bus may hang.
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/systemd_bus.h"

namespace statmill {
namespace {

class SystemdSource final : public SlowSource {
 public:
  explicit SystemdSource(const std::string& root)
      : booted_(root + "/run/systemd/system"), bus_(root + "/run/dbus/system_bus_socket") {}

  std::string_view name() const override { return "systemd"; }

  void read() override {
    report_.reset();
    if (::access(booted_.c_str(), F_OK) == 0) report_ = bus_.read();
  }

  CollectorStatus report(MetricSink& sink) override {
    if (!report_) return {};  // this host runs without systemd
    if (!*report_) return CollectorStatus::unavailable(report_->error().message);
    const SystemdReport& found = **report_;
    for (const std::string_view state : SystemdReport::kSystemStates)
      sink.gauge("host.systemd.state", {state}, state == found.state ? 1 : 0);
    for (size_t i = 0; i < found.counts.size(); ++i)
      sink.gauge("host.systemd.units", {SystemdReport::kUnitStates.at(i)},
                 static_cast<double>(found.counts.at(i)));
    for (const std::string& unit : found.failed) sink.gauge("host.systemd.failed", {unit}, 1);
    sink.gauge("host.systemd.unit_names", found.names);
    sink.gauge("host.systemd.jobs", found.jobs);
    return found.is_over_limit ? CollectorStatus::degraded("only the first 50 units that failed")
                               : CollectorStatus{};
  }

  void keep(MetricSink& sink) const override { sink.keep("host.systemd."); }
  std::string waits_for() const override { return bus_.socket(); }

 private:
  const std::string booted_;  // there if systemd is process 1: sd_booted(3)
  SystemdBus bus_;
  std::optional<Result<SystemdReport>> report_;  // nullopt: no systemd
};

}  // namespace

std::unique_ptr<Collector> make_systemd_collector(const std::string& root, const Clock& clock, Log& log) {
  return make_slow_collector(std::make_unique<SystemdSource>(root), clock, log);
}

}  // namespace statmill
