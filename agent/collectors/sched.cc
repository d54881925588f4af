// The sched collector: how long tasks waited for a CPU, ran on it and stayed off it, why they left it, and
// the waits of each cgroup.
#include "bpf/sched.h"

#include <sys/stat.h>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/bpf_collector.h"
#include "agent/collectors/bpf_collectors.h"
#include "agent/collectors/sched_cgroups.h"

namespace statmill {
namespace {

class SchedCollector final : public BpfCollector {
 public:
  SchedCollector(LoadedProbe probe, const BpfEnvironment& environment)
      : BpfCollector("sched", std::move(probe)),
        cgroups_(find_cgroup_hierarchy(environment.cgroup_mount, "cpu").root,
                 {environment.clock, environment.containers}) {}

 protected:
  CollectorStatus report(const BpfProbe& probe, MetricSink& sink) override {
    const BankReport<sched_bank> report(probe, "sched_banks", sink);
    report.distribution("sched_switch", "host.sched.runqueue_wait_ns", {}, &sched_bank::runqueue_wait);
    report.distribution("sched_switch", "host.sched.off_cpu_ns", {"preempted"},
                        &sched_bank::off_cpu_preempted);
    report.distribution("sched_switch", "host.sched.off_cpu_ns", {"sleep"}, &sched_bank::off_cpu_sleep);
    report.distribution("sched_switch", "host.sched.off_cpu_ns", {"disk"}, &sched_bank::off_cpu_disk);
    report.distribution("sched_switch", "host.sched.on_cpu_ns", {}, &sched_bank::on_cpu);
    report.total("sched_switch", "host.sched.switches", {"voluntary"}, &sched_bank::switches_voluntary);
    report.total("sched_switch", "host.sched.switches", {"involuntary"}, &sched_bank::switches_involuntary);
    report.total("sched_migrate_task", "host.sched.migrations", {}, &sched_bank::migrations);
    report.total("sched_switch", "host.agent.ebpf_discarded", {"sched", "switch"}, &sched_bank::discarded);
    report.total("sched_switch", "host.agent.ebpf_slots_missed", {"sched"}, &sched_bank::cgroups_missed);
    if (has_program(probe, "sched_switch")) cgroups_.report(report.banks(), sink);
    return {};
  }

 private:
  SchedCgroups cgroups_;
};

}  // namespace

LoadedProbe load_sched_probe(const BpfEnvironment& environment) {
  const CgroupHierarchy hierarchy = find_cgroup_hierarchy(environment.cgroup_mount, "cpu");
  struct stat root {};
  const bool has_root = !hierarchy.root.empty() && ::stat(hierarchy.root.c_str(), &root) == 0;
  const sched_settings settings{.root_cgroup = has_root ? root.st_ino : 0,
                                .has_default_hierarchy = hierarchy.is_default ? 1U : 0U,
                                .reserved = 0};
  return load_bpf_probe({.subject = "sched", .settings = std::as_bytes(std::span(&settings, 1))},
                        environment.log);
}

std::unique_ptr<Collector> make_sched_collector(LoadedProbe probe, const BpfEnvironment& environment) {
  return std::make_unique<SchedCollector>(std::move(probe), environment);
}

}  // namespace statmill
