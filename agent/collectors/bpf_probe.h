// BpfProbe: the eBPF programs of one subject (bpf/<subject>.bpf.c), loaded and attached, and their cells.
//
// Where a kernel lacks a hook, the other programs of the subject go on without it. A program `x` at a typed
// tracepoint (tp_btf) may have a twin `x_raw` at the raw one, which is taken on kernels without BTF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/result.h"

namespace statmill {

// One program and where it is attached.
struct BpfHook {
  std::string program;  // "sched_switch"
  std::string place;    // "tp_btf/sched_switch"
  std::string missing;  // why it is not attached; empty: it is
};

// What the kernel says of a program since it was loaded.
struct BpfUse {
  bool is_known = false;
  uint64_t runs = 0;  // these two grow only while the kernel's statistics are on (BPF_ENABLE_STATS)
  uint64_t run_ns = 0;
  uint64_t misses = 0;  // events that came while the program ran on the same CPU
};

// Unloads the programs when destroyed.
class BpfProbe {
 public:
  virtual ~BpfProbe() = default;
  virtual std::span<const BpfHook> hooks() const = 0;
  // Of each hook, in their order; not known: of one that is missing. One system call each.
  virtual std::vector<BpfUse> uses() const = 0;
  // The memory of the map of that name: its elements for the first CPU, the second, ... The kernel writes it
  // at the same time. Empty: there is no such map.
  virtual std::span<std::byte> cells(std::string_view map) const = 0;
};

// The banks of a map, one for each possible CPU. Requires: the map's elements are Banks.
template <class Bank>
std::span<Bank> banks_of(const BpfProbe& probe, std::string_view map) {
  const std::span<std::byte> cells = probe.cells(map);
  SM_CHECK(!cells.empty() && cells.size() % sizeof(Bank) == 0);
  return {reinterpret_cast<Bank*>(cells.data()), cells.size() / sizeof(Bank)};
}

// Whether it is not among the hooks that are missing.
bool has_program(const BpfProbe& probe, std::string_view program);

using LoadedProbe = Result<std::unique_ptr<BpfProbe>>;

// What a subject is loaded with.
struct BpfPlan {
  std::string_view subject;               // "sched"
  std::span<const std::byte> settings{};  // its `settings`, if it has any
  bool is_without_btf = false;            // takes what a kernel without BTF would have: for tests
};

// Loads and attaches what this kernel has. Needs CAP_BPF and CAP_PERFMON. Errors: kUnavailable when that is
// nothing, with a reason fit for a status: "built without eBPF", "permission", "no BTF", or what the kernel
// said. libbpf's own words go to `log` at debug.
LoadedProbe load_bpf_probe(const BpfPlan& plan, Log& log);

// The names of a kernel's enum by their values; empty when the kernel does not tell.
std::map<uint64_t, std::string> kernel_enum(const char* name);

}  // namespace statmill
