// BpfCgroups: adds up what eBPF programs count per cgroup, and finds the cgroups' names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

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
    std::set<uint64_t> unknown;
    for (const auto& entry : all) {
      if (is_unknown(entry)) unknown.insert(entry.first);
    }
    const uint64_t count = unknown.size();
    if (is_fresh && tree_.left_out() == 0) {
      release_gone(banks, slots, unknown);
      gone_ = std::move(unknown);
    }
    return count;
  }

 private:
  // Reads the directories, but not too often. Returns whether it did.
  bool scan();
  const ContainerName* container_of(const Cgroup& cgroup) const;

  // Clears the slots of the cgroups that had no directory at two scans in a row: a task that ends still runs
  // for a moment after its cgroup was removed. A socket may outlive its cgroup for longer: its last count may
  // be lost, or be where another cgroup begins.
  template <class Bank, class Slot, size_t kSlots>
  void release_gone(std::span<Bank> banks, Slot (Bank::*slots)[kSlots], const std::set<uint64_t>& unknown) {
    for (Bank& bank : banks) {
      for (Slot& slot : bank.*slots) {
        const uint64_t id = load_cell(slot.id);
        if (unknown.contains(id) && gone_.contains(id)) release_slot(slot);
      }
    }
  }

  CgroupTree tree_;
  const Services services_;
  const ContainerName no_name_;
  std::optional<SteadyTime> scanned_at_;
  std::set<uint64_t> gone_;  // ids without a directory at the last scan
};

}  // namespace statmill
