// The interrupts collector: how long the handlers of interrupts and soft interrupts run.
#include "bpf/interrupts.h"
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

static_assert(kSoftirqVectors.size() == SOFTIRQ_VECTORS);

class InterruptsCollector final : public BpfCollector {
 public:
  explicit InterruptsCollector(LoadedProbe probe) : BpfCollector("interrupts", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<interrupts_bank> report(probe, "interrupts_banks", sink);
    for (size_t i = 0; i < kSoftirqVectors.size(); ++i) {
      report.distribution("softirq_exit", "host.softirq.duration_ns", {kSoftirqVectors[i]},
                          [i](const interrupts_bank& bank) -> const h2_cells& { return bank.softirq[i]; });
    }
    report.distribution("irq_exit", "host.interrupts.duration_ns", {}, &interrupts_bank::irq);
    report.total("softirq_exit", "host.agent.ebpf_discarded", {"interrupts", "softirq"},
                 &interrupts_bank::discarded);
    report.total("irq_exit", "host.agent.ebpf_discarded", {"interrupts", "irq"},
                 &interrupts_bank::irq_discarded);
    for (size_t i = 0; i < IRQ_SLOTS; ++i) report_number(i, report.banks(), sink);
    return {};
  }

 private:
  // Interrupts that never occurred are not reported.
  static void report_number(size_t number, std::span<interrupts_bank> banks, MetricSink& sink) {
    const uint64_t ns = sum_cells(
        banks, [number](const interrupts_bank& bank) -> const __u64& { return bank.irq_ns[number]; });
    if (ns == 0) return;
    const bool is_last = number == IRQ_SLOTS - 1;
    sink.total("host.interrupts.time_ns", {is_last ? "others" : std::to_string(number)}, ns);
  }
};

}  // namespace

std::unique_ptr<Collector> make_interrupts_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<InterruptsCollector>(std::move(probe));
}

}  // namespace statmill
