// The interrupts collector: counts of softirqs and interrupts, and the time in their handlers.
#include <array>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "bpf/interrupts.h"

namespace statmill {
namespace {

// In the kernel's order (include/linux/interrupt.h).
constexpr std::array<std::string_view, SOFTIRQ_VECTORS> kVectors = {
    "hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"};

class InterruptsCollector final : public BpfCollector {
 public:
  explicit InterruptsCollector(LoadedProbe probe) : BpfCollector("interrupts", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<interrupts_bank> report(probe, "interrupts_banks", sink);
    for (size_t i = 0; i < kVectors.size(); ++i) {
      report.distribution("softirq_exit", "interrupts.softirq." + std::string(kVectors[i]) + "_ns",
                          [i](const interrupts_bank& bank) -> const h2_cells& { return bank.softirq[i]; });
    }
    report.distribution("irq_exit", "interrupts.irq_ns", &interrupts_bank::irq);
    report.total("softirq_exit", "interrupts.discarded", &interrupts_bank::discarded);
    report.total("irq_exit", "interrupts.irq_discarded", &interrupts_bank::irq_discarded);
    for (size_t i = 0; i < IRQ_SLOTS; ++i) report_number(i, report.banks(), sink);
    return {};
  }

 private:
  // Interrupts that never occurred are not reported.
  static void report_number(size_t number, std::span<interrupts_bank> banks, MetricSink& sink) {
    const uint64_t count = sum_cells(
        banks, [number](const interrupts_bank& bank) -> const __u64& { return bank.irqs[number].count; });
    if (count == 0) return;
    const uint64_t ns = sum_cells(
        banks, [number](const interrupts_bank& bank) -> const __u64& { return bank.irqs[number].ns; });
    const bool is_last = number == IRQ_SLOTS - 1;
    const std::string base = "interrupts.irq." + (is_last ? "others" : std::to_string(number)) + ".";
    sink.total(base + "count", count);
    sink.total(base + "ns", ns);
  }
};

}  // namespace

std::unique_ptr<Collector> make_interrupts_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<InterruptsCollector>(std::move(probe));
}

}  // namespace statmill
