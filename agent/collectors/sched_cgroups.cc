#include "agent/collectors/sched_cgroups.h"

#include <algorithm>

#include "agent/collectors/bpf_cells.h"

namespace statmill {
namespace {

void store_cell(__u64& cell, uint64_t value) { __atomic_store_n(&cell, value, __ATOMIC_RELEASE); }

}  // namespace

void SchedCgroups::report(std::span<sched_bank> banks, MetricSink& sink) {
  if (tree_.root().empty()) return;
  ById all;
  for (sched_bank& bank : banks) {
    for (const sched_cgroup& slot : bank.cgroups) {
      const uint64_t id = load_cell(slot.id);
      if (id == 0) continue;
      Totals& totals = all[id];
      totals.runqueue_wait_ns += load_cell(slot.runqueue_wait_ns);
      totals.switches += load_cell(slot.switches);
    }
  }
  look_again(all);
  uint64_t unnamed = 0;
  for (const auto& [id, totals] : all) {
    const Cgroup* const cgroup = tree_.find(id);
    if (cgroup == nullptr) {
      ++unnamed;
      continue;
    }
    sink.total("host.cgroup.runqueue_wait_ns", {cgroup->tag()}, totals.runqueue_wait_ns);
    sink.total("host.cgroup.switches", {cgroup->tag()}, totals.switches);
  }
  sink.gauge("host.agent.cgroups_unnamed", static_cast<double>(unnamed));
  if (is_fresh_ && unnamed != 0 && tree_.left_out() == 0) release_gone(banks, all);
}

// Reads the directories only if an id is new, and not too often.
void SchedCgroups::look_again(const ById& totals) {
  is_fresh_ = false;
  const bool has_new =
      std::any_of(totals.begin(), totals.end(), [&](const auto& entry) { return !tree_.find(entry.first); });
  const SteadyTime now = clock_.steady();
  if (!has_new || (scanned_at_ && now - *scanned_at_ < kScanInterval)) return;
  scanned_at_ = now;
  is_fresh_ = static_cast<bool>(tree_.scan());
}

// No task runs in a cgroup without a directory, so no program writes to the slot that is cleared here. The id
// is cleared last.
void SchedCgroups::release_gone(std::span<sched_bank> banks, const ById& totals) {
  for (const auto& entry : totals) {
    if (tree_.find(entry.first) != nullptr) continue;
    for (sched_bank& bank : banks) {
      for (sched_cgroup& slot : bank.cgroups) {
        if (load_cell(slot.id) != entry.first) continue;
        store_cell(slot.runqueue_wait_ns, 0);
        store_cell(slot.switches, 0);
        store_cell(slot.id, 0);
      }
    }
  }
}

}  // namespace statmill
