#include "agent/collectors/sched_cgroups.h"

#include "agent/collectors/bpf_cells.h"

namespace statmill {

void SchedCgroups::Totals::add(const sched_cgroup& slot) {
  runqueue_wait_ns += load_cell(slot.runqueue_wait_ns);
  switches += load_cell(slot.switches);
  for (size_t i = 0; i < preempted.size(); ++i) preempted[i] += load_cell(slot.preempted[i]);
  const H2Part<h2_small_cells> waits(slot.runqueue_waits);
  for (size_t i = 0; i < waits.bucket_count; ++i) wait_counts[i] += waits.counts[i];
  wait_sum += waits.sum;
  if (waits.unfinished != 0) wait_sum_missing_max += waits.sum_missing_max(H2_SMALL_GROUPING_POWER);
}

void SchedCgroups::report(std::span<sched_bank> banks, MetricSink& sink) {
  if (!cgroups_.has_cgroups()) return;
  const uint64_t unnamed =
      cgroups_.report_each<Totals>(banks, &sched_bank::cgroups,
                                   [&](const Cgroup& cgroup, const ContainerName& container,
                                       const Totals& totals) { report(cgroup, container, totals, sink); });
  std::erase_if(wait_counts_, [this](const auto& entry) { return cgroups_.find(entry.first) == nullptr; });
  sink.gauge("host.agent.cgroups_unnamed", static_cast<double>(unnamed));
}

void SchedCgroups::report(const Cgroup& cgroup, const ContainerName& name, const Totals& totals,
                          MetricSink& sink) {
  const auto& [container, name_space, pod] = name;
  const std::string_view tag = cgroup.tag();
  sink.total("host.cgroup.runqueue_wait_ns", {tag, container, name_space, pod}, totals.runqueue_wait_ns);
  sink.total("host.cgroup.switches", {tag, container, name_space, pod}, totals.switches);
  sink.total("host.cgroup.preemptions", {"same", tag, container, name_space, pod},
             totals.preempted[SCHED_BY_SAME]);
  sink.total("host.cgroup.preemptions", {"other", tag, container, name_space, pod},
             totals.preempted[SCHED_BY_OTHER]);
  sink.total("host.cgroup.preemptions", {"system", tag, container, name_space, pod},
             totals.preempted[SCHED_BY_SYSTEM]);
  WaitCounts& waits = wait_counts_[cgroup.id];
  std::array<uint64_t, H2_SMALL_BUCKETS> counts;
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = waits[i].advance(totals.wait_counts[i]);
  sink.distribution("host.cgroup.runqueue_latency_ns", {tag, container, name_space, pod},
                    {.grouping_power = H2_SMALL_GROUPING_POWER,
                     .counts = counts,
                     .sum = totals.wait_sum,
                     .sum_missing_max = totals.wait_sum_missing_max});
}

}  // namespace statmill
