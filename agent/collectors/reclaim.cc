// The reclaim collector: how long tasks waited for memory, and out-of-memory kills.
#include "bpf/reclaim.h"
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"

namespace statmill {
namespace {

class ReclaimCollector final : public BpfCollector {
 public:
  explicit ReclaimCollector(LoadedProbe probe) : BpfCollector("reclaim", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<reclaim_bank> report(probe, "reclaim_banks", sink);
    report.distribution("reclaim_end", "reclaim.direct_ns", &reclaim_bank::direct_ns);
    report.total("reclaim_end", "reclaim.direct_pages", &reclaim_bank::direct_pages);
    report.total("reclaim_end", "reclaim.direct_discarded", &reclaim_bank::direct_discarded);
    report.distribution("compact_end", "reclaim.compact_ns", &reclaim_bank::compact_ns);
    report.total("compact_end", "reclaim.compact_discarded", &reclaim_bank::compact_discarded);
    report.total("oom_kill", "reclaim.oom_kills", &reclaim_bank::oom_kills);
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_reclaim_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<ReclaimCollector>(std::move(probe));
}

}  // namespace statmill
