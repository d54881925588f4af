// The faults collector: page faults by origin.
#include "bpf/faults.h"
#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"

namespace statmill {
namespace {

class FaultsCollector final : public BpfCollector {
 public:
  explicit FaultsCollector(LoadedProbe probe) : BpfCollector("faults", std::move(probe)) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<faults_bank> report(probe, "faults_banks", sink);
    report.total("fault_user", "host.faults.exceptions", {"user"}, &faults_bank::user);
    report.total("fault_kernel", "host.faults.exceptions", {"kernel"}, &faults_bank::kernel);
    return {};
  }
};

}  // namespace

std::unique_ptr<Collector> make_faults_collector(LoadedProbe probe, const BpfEnvironment&) {
  return std::make_unique<FaultsCollector>(std::move(probe));
}

}  // namespace statmill
