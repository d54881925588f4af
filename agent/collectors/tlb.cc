// The tlb collector: flushes of the address translation caches, by reason.
#include <array>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/tlb.h"

namespace statmill {
namespace {

// In the kernel's order (enum tlb_flush_reason, include/linux/mm_types.h).
constexpr std::array<std::string_view, 6> kReasons = {"task_switch", "remote_shootdown", "local_shootdown",
                                                      "local_mm",    "remote_send_ipi",  "remote_wrong_cpu"};

class TlbCollector final : public BpfCollector {
 public:
  explicit TlbCollector(LoadedProbe probe) : BpfCollector("tlb", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<tlb_bank> report(probe, "tlb_banks", sink);
    for (size_t i = 0; i < kReasons.size(); ++i) {
      report.total("tlb_flush", "host.tlb.flushes", {kReasons[i]},
                   [i](const tlb_bank& bank) -> const __u64& { return bank.flushes[i]; });
      report.total("tlb_flush", "host.tlb.flushed_pages", {kReasons[i]},
                   [i](const tlb_bank& bank) -> const __u64& { return bank.pages[i]; });
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_tlb_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<TlbCollector>(std::move(probe));
}

}  // namespace statmill
