// The psi collector: pressure stall information, the time in which tasks waited for a resource.
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
      if (pressure.some_total_us) {
        ++found;
      } else {
        missing.append(" ").append(text ? std::string(resource) + ": not as psi.rst says"
                                        : text.error().message);
      }
      report(resource, "some", pressure.some_total_us, sink);
      report(resource, "full", pressure.full_total_us, sink);
    }
    if (found == 0) return CollectorStatus::unavailable("no pressure stall information:" + missing);
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("missing:" + missing);
  }

 private:
  static void report(std::string_view resource, std::string_view type, std::optional<uint64_t> total_us,
                     MetricSink& sink) {
    constexpr uint64_t kUs = 1000;  // in ns
    if (total_us) sink.total("host.psi.stalled_ns", {resource, type}, *total_us * kUs);
  }

  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_psi_collector(ProcReader& proc) {
  return std::make_unique<PsiCollector>(proc);
}

}  // namespace statmill
