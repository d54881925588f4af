// SchedCgroups: reports what the scheduler's eBPF programs count per cgroup, under the cgroups' names.
#pragma once

#include <map>
#include <optional>
#include <span>

#include "agent/collectors/cgroup_tree.h"
#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "bpf/sched.h"

namespace statmill {

// Confined to one thread.
class SchedCgroups {
 public:
  // How often the cgroup directories are read.
  static constexpr Duration kScanInterval{5000};

  // An empty `root` means that this host has no cgroups. `clock` must outlive it.
  SchedCgroups(std::string root, const Clock& clock) : tree_(std::move(root)), clock_(clock) {}

  // Reports host.cgroup.runqueue_wait_ns and .switches, and the gauge host.agent.cgroups_unnamed: cgroups
  // that ran and have no directory now, or none within the limits. Releases the slots of removed cgroups, so
  // that the programs can use them again.
  void report(std::span<sched_bank> banks, MetricSink& sink);

 private:
  struct Totals {
    uint64_t runqueue_wait_ns = 0;
    uint64_t switches = 0;
  };
  using ById = std::map<uint64_t, Totals>;

  void look_again(const ById& totals);
  void release_gone(std::span<sched_bank> banks, const ById& totals);

  CgroupTree tree_;
  const Clock& clock_;
  std::optional<SteadyTime> scanned_at_;
  bool is_fresh_ = false;  // the tree was read after the banks
};

}  // namespace statmill
