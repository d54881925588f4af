// The system collector: how long the host has been up, from /proc/uptime.
#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

class SystemCollector final : public Collector {
 public:
  explicit SystemCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "system"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("uptime");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::optional<double> uptime = parse_uptime(*text);
    if (!uptime) return CollectorStatus::unavailable("uptime has an unknown format");
    sink.gauge("host.system.uptime_s", *uptime);
    return {};
  }

 private:
  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_system_collector(ProcReader& proc) {
  return std::make_unique<SystemCollector>(proc);
}

}  // namespace statmill
