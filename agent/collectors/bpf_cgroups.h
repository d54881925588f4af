// BpfCgroups: adds up what eBPF programs count per cgroup, and finds the cgroups' names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "agent/collectors/bpf_cells.h"
#include "agent/collectors/cgroup_tree.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class BpfCgroups {
 public:
  // How often the cgroup directories are read.
  static constexpr Duration kScanInterval{5000};

  // An empty `root` means that this host has no cgroups. `clock` must outlive it.
  BpfCgroups(std::string root, const Clock& clock) : tree_(std::move(root)), clock_(clock) {}

  bool has_cgroups() const { return !tree_.root().empty(); }
  // Returns the cgroup with this id; null if it has no directory now, or none within the limits.
  const Cgroup* find(uint64_t id) const { return tree_.find(id); }

  // Adds up the slots (bpf/slots.h) of each cgroup over all banks with `Totals::add(slot)`, and calls
  // `report(cgroup, totals)` for each that has a name. Releases the slots of removed cgroups, so that the
  // programs can use them again. Returns how many cgroups have no name.
  template <class Totals, class Bank, class Slot, size_t kSlots, class Report>
  uint64_t report_each(std::span<Bank> banks, Slot (Bank::*slots)[kSlots], Report report) {
    if (!has_cgroups()) return 0;
    std::map<uint64_t, Totals> all;
    for (const Bank& bank : banks) {
      for (const Slot& slot : bank.*slots) {
        if (const uint64_t id = load_cell(slot.id); id != 0) all[id].add(slot);
      }
    }
    const auto is_unknown = [this](const auto& entry) { return find(entry.first) == nullptr; };
    const bool is_fresh = std::any_of(all.begin(), all.end(), is_unknown) && scan();
    for (const auto& [id, totals] : all) {
      if (const Cgroup* const cgroup = find(id)) report(*cgroup, totals);
    }
    const auto unknown = static_cast<uint64_t>(std::count_if(all.begin(), all.end(), is_unknown));
    if (is_fresh && unknown != 0 && tree_.left_out() == 0) release_gone(banks, slots);
    return unknown;
  }

 private:
  // Reads the directories, but not too often. Returns whether it did.
  bool scan();

  // No task runs in a cgroup without a directory, so no program writes to the slot that is cleared here,
  // except for a socket that outlives its cgroup: its last count may be lost, or be where another cgroup
  // begins.
  template <class Bank, class Slot, size_t kSlots>
  void release_gone(std::span<Bank> banks, Slot (Bank::*slots)[kSlots]) {
    for (Bank& bank : banks) {
      for (Slot& slot : bank.*slots) {
        const uint64_t id = load_cell(slot.id);
        if (id != 0 && find(id) == nullptr) release_slot(slot);
      }
    }
  }

  CgroupTree tree_;
  const Clock& clock_;
  std::optional<SteadyTime> scanned_at_;
};

}  // namespace statmill
