// The pmu collector: the hardware counters of the CPUs, where they are accessible.
#include "agent/collectors/collector.h"
#include "agent/collectors/perf_counters.h"

namespace statmill {
namespace {

class PmuCollector final : public Collector {
 public:
  explicit PmuCollector(Result<std::unique_ptr<PerfCounters>> counters) : counters_(std::move(counters)) {}

  std::string_view name() const override { return "pmu"; }
  uint8_t sources() const override { return kSourceCounters; }

  CollectorStatus collect(MetricSink& sink) override {
    if (!counters_) return CollectorStatus::unavailable(counters_.error().message);
    const std::vector<PerfCounters::Count> counts = (*counters_)->read();
    for (const PerfCounters::Count& count : counts) sink.total(count.family, count.value);
    return counts.empty() ? CollectorStatus::unavailable("no counter has run") : CollectorStatus{};
  }

 private:
  const Result<std::unique_ptr<PerfCounters>> counters_;
};

}  // namespace

std::unique_ptr<Collector> make_pmu_collector(Result<std::unique_ptr<PerfCounters>> counters) {
  return std::make_unique<PmuCollector>(std::move(counters));
}

}  // namespace statmill
