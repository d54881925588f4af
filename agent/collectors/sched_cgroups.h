// SchedCgroups: reports what the scheduler's eBPF programs count per cgroup, under the cgroups' names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "agent/collectors/bpf_cgroups.h"
#include "agent/collectors/collector.h"
#include "agent/collectors/wrapping_total.h"
#include "bpf/sched.h"

namespace statmill {

// Confined to one thread.
class SchedCgroups {
 public:
  // As BpfCgroups.
  SchedCgroups(std::string root, BpfCgroups::Services services) : cgroups_(std::move(root), services) {}

  // Reports the waits, switches and preemptions of each cgroup, and the gauge host.agent.cgroups_unnamed:
  // cgroups that ran and have no directory now, or none within the limits.
  void report(std::span<sched_bank> banks, MetricSink& sink);

 private:
  // Sums over all CPUs.
  struct Totals {
    void add(const sched_cgroup& slot);

    uint64_t runqueue_wait_ns = 0;
    uint64_t switches = 0;
    std::array<uint64_t, SCHED_PREEMPTERS> preempted{};
    std::array<uint32_t, H2_SMALL_BUCKETS> wait_counts{};  // modulo 2^32, as the cells
    uint64_t wait_sum = 0;
    uint64_t wait_sum_missing_max = 0;
  };
  // The counts of the waits of a cgroup since it is known.
  using WaitCounts = std::array<WrappingTotal, H2_SMALL_BUCKETS>;

  void report(const Cgroup& cgroup, const ContainerName& name, const Totals& totals, MetricSink& sink);

  BpfCgroups cgroups_;
  std::map<uint64_t, WaitCounts> wait_counts_;  // by id of the cgroup
};

}  // namespace statmill
