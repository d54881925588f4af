// The process collector: threads that were started, processes that executed a new program and ended.
#include "bpf/process.h"
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"

namespace statmill {
namespace {

class ProcessCollector final : public BpfCollector {
 public:
  explicit ProcessCollector(LoadedProbe probe) : BpfCollector("process", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<process_bank> report(probe, "process_banks", sink);
    report.total("process_fork", "host.process.threads_created", {}, &process_bank::threads);
    report.total("process_exec", "host.process.execs", {}, &process_bank::execs);
    report.total("process_exit", "host.process.exits", {"ok"}, &process_bank::exits_ok);
    report.total("process_exit", "host.process.exits", {"failed"}, &process_bank::exits_failed);
    report.total("process_exit", "host.process.exits", {"killed"}, &process_bank::exits_killed);
    report.total("process_free", "host.process.exited_cpu_ns", {}, &process_bank::exited_cpu_ns);
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_process_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<ProcessCollector>(std::move(probe));
}

}  // namespace statmill
