// The memory collector: use of the host's RAM and swap, in bytes.
#include <array>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

struct Field {
  std::string_view key;  // in /proc/meminfo
  std::string_view series;
};
constexpr std::array<Field, 9> kFields = {{{"MemTotal", "memory.total"},
                                           {"MemFree", "memory.free"},
                                           {"MemAvailable", "memory.available"},
                                           {"Buffers", "memory.buffers"},
                                           {"Cached", "memory.cached"},
                                           {"SwapTotal", "memory.swap_total"},
                                           {"SwapFree", "memory.swap_free"},
                                           {"Dirty", "memory.dirty"},
                                           {"Slab", "memory.slab"}}};
constexpr double kUnitBytes = 1024;  // meminfo counts in kB

class MemoryCollector final : public Collector {
 public:
  explicit MemoryCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "memory"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("meminfo");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    std::string missing;
    for (const Field& field : kFields) {
      if (const std::optional<uint64_t> value = find_number(*text, field.key)) {
        sink.gauge(field.series, static_cast<double>(*value) * kUnitBytes);
      } else {
        missing.append(" ").append(field.key);
      }
    }
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("meminfo lacks" + missing);
  }

 private:
  ProcReader& proc_;
};

}  // namespace

std::unique_ptr<Collector> make_memory_collector(ProcReader& proc) {
  return std::make_unique<MemoryCollector>(proc);
}

}  // namespace statmill
