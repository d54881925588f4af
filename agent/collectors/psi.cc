// The psi collector: pressure stall information, the share of time in which tasks waited for a resource.
#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

class PsiCollector final : public Collector {
 public:
  explicit PsiCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "psi"; }

  CollectorStatus collect(MetricSink& sink) override {
    std::string missing;
    size_t found = 0;
    for (const char* resource : {"cpu", "io", "memory"}) {
      const Result<std::string_view> text = proc_.read(std::string("pressure/") + resource);
      const Pressure pressure = text ? parse_pressure(*text) : Pressure{};
      if (pressure.some) {
        ++found;
      } else {
        missing.append(" ").append(text ? std::string(resource) + ": not as psi.rst says"
                                        : text.error().message);
      }
      report(std::string("psi.") + resource + ".some_", pressure.some, sink);
      report(std::string("psi.") + resource + ".full_", pressure.full, sink);
    }
    if (found == 0) return CollectorStatus::unavailable("no pressure stall information:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  static void report(const std::string& base, const std::optional<PressureLine>& line, MetricSink& sink) {
    if (!line) return;
    sink.gauge(base + "avg10", line->percent_10s);
    sink.total(base + "us", line->total_us);
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_psi_collector(ProcReader& proc) {
  return std::make_unique<PsiCollector>(proc);
}

}  // namespace statmill
