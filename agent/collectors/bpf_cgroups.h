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
#include "agent/collectors/container_names.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class BpfCgroups {
 public:
  // How often the cgroup directories are read.
  static constexpr Duration kScanInterval{5000};

  // Both must outlive it. `containers` may be null: then no series has the names of containers.
  struct Services {
    const Clock& clock;
    ContainerNames* containers;
  };
  // An empty `root` means that this host has no cgroups.
  BpfCgroups(std::string root, Services services) : tree_(std::move(root)), services_(services) {}

  bool has_cgroups() const { return !tree_.root().empty(); }
  // Returns the cgroup with this id; null if it has no directory now, or none within the limits.
  const Cgroup* find(uint64_t id) const { return tree_.find(id); }

  // Adds up the slots (bpf/slots.h) of each cgroup over all banks with `Totals::add(slot)`, and calls
  // `report(cgroup, container, totals)` for each that has a name; if it is in a container, once the name of
  // that is known. Releases the slots of removed cgroups, so that the programs can use them again. Returns
  // how many cgroups have no name.
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
    if (services_.containers != nullptr) services_.containers->update();
    for (const auto& [id, totals] : all) {
      const Cgroup* const cgroup = find(id);
      const ContainerName* const container = cgroup == nullptr ? nullptr : container_of(*cgroup);
      if (container != nullptr) report(*cgroup, *container, totals);
    }
    const auto unknown = static_cast<uint64_t>(std::count_if(all.begin(), all.end(), is_unknown));
    if (is_fresh && unknown != 0 && tree_.left_out() == 0) release_gone(banks, slots);
    return unknown;
  }

 private:
  // Reads the directories, but not too often. Returns whether it did.
  bool scan();
  const ContainerName* container_of(const Cgroup& cgroup) const;

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
  const Services services_;
  const ContainerName no_name_;
  std::optional<SteadyTime> scanned_at_;
};

}  // namespace statmill
