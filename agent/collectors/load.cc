// The load collector: load averages and the number of tasks.
#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

class LoadCollector final : public Collector {
 public:
  explicit LoadCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "load"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("loadavg");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    const std::optional<LoadAverages> averages = parse_load_averages(*text);
    if (!averages) return CollectorStatus::unavailable("loadavg has an unknown format");
    sink.gauge("host.load.average_1m", averages->load[0]);
    sink.gauge("host.load.average_5m", averages->load[1]);
    sink.gauge("host.load.average_15m", averages->load[2]);
    sink.gauge("host.load.tasks_running", static_cast<double>(averages->running));
    sink.gauge("host.load.tasks", static_cast<double>(averages->total));
    return {};
  }

 private:
  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_load_collector(ProcReader& proc) {
  return std::make_unique<LoadCollector>(proc);
}

}  // namespace statmill
