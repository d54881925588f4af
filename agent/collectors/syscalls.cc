// The syscalls collector: system calls by class, and the latency of one of 16.
#include "bpf/syscalls.h"
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/syscall_classes.h"

namespace statmill {
namespace {

class SyscallsCollector final : public BpfCollector {
 public:
  explicit SyscallsCollector(LoadedProbe probe) : BpfCollector("syscalls", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<syscalls_bank> report(probe, "syscalls_banks", sink);
    for (size_t i = 0; i < kSyscallClasses.size(); ++i) {
      report.total("syscall_enter", "host.syscalls.calls", {kSyscallClasses[i]},
                   [i](const syscalls_bank& bank) -> const __u64& { return bank.counts[i]; });
      report.distribution("syscall_exit", "host.syscalls.latency_ns", {kSyscallClasses[i]},
                          [i](const syscalls_bank& bank) -> const h2_cells& { return bank.latency_ns[i]; });
    }
    report.total("syscall_exit", "host.syscalls.errors", {}, &syscalls_bank::errors);
    return {};
  }
};

}  // namespace

LoadedProbe load_syscalls_probe(const BpfEnvironment& environment) {
  const auto classes = syscall_classes();
  static_assert(sizeof(classes) == sizeof(syscalls_settings));
  return load_bpf_probe({.subject = "syscalls", .settings = std::as_bytes(std::span(classes))},
                        environment.log);
}

std::unique_ptr<Collector> make_syscalls_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<SyscallsCollector>(std::move(probe));
}

}  // namespace statmill
