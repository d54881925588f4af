// Memory from eBPF: how long tasks had to free or compact memory themselves.
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/reclaim.h"

namespace statmill {
namespace {

class MemoryEbpf final : public BpfCollector {
 public:
  explicit MemoryEbpf(LoadedProbe probe) : BpfCollector("memory", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<reclaim_bank> report(probe, "reclaim_banks", sink);
    report.distribution("reclaim_end", "host.memory.direct_reclaim_ns", {}, &reclaim_bank::direct_ns);
    report.distribution("compact_end", "host.memory.compaction_ns", {}, &reclaim_bank::compact_ns);
    report.total("reclaim_end", "host.agent.ebpf_discarded", {"memory", "reclaim"},
                 &reclaim_bank::direct_discarded);
    report.total("compact_end", "host.agent.ebpf_discarded", {"memory", "compaction"},
                 &reclaim_bank::compact_discarded);
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_memory_ebpf(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<MemoryEbpf>(std::move(probe));
}

}  // namespace statmill
