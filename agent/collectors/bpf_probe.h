// BpfProbe: the loaded and attached eBPF programs of one subject (bpf/<subject>.bpf.c), and their cells.
//
// If the kernel lacks a hook, the other programs of the subject work without it. A program `x` at a typed
// tracepoint (tp_btf) may have a variant `x_raw` at the raw tracepoint, which is used on kernels without BTF.
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
  std::string program;       // "sched_switch"
  std::string attach_point;  // "tp_btf/sched_switch"
  std::string missing;       // why it is not attached; empty: it is attached
};

// The kernel's statistics of a program since it was loaded.
struct BpfUse {
  bool is_known = false;
  uint64_t runs = 0;  // this and run_ns grow only while BPF_ENABLE_STATS is on
  uint64_t run_ns = 0;
  uint64_t misses = 0;  // events that occurred while the program already ran on the same CPU
};

// Unloads the programs when destroyed.
class BpfProbe {
 public:
  virtual ~BpfProbe() = default;
  virtual std::span<const BpfHook> hooks() const = 0;
  // Returns the use of each hook, in the order of hooks(); not known for missing ones. Cost: one
  // system call each.
  virtual std::vector<BpfUse> uses() const = 0;
  // Returns the memory of the map with this name: its elements for the first CPU, then for the second, and so
  // on. The kernel writes to it concurrently. Empty if there is no map with this name.
  virtual std::span<std::byte> cells(std::string_view map) const = 0;
};

// Returns the banks of a map, one per possible CPU. Requires: the map exists and its elements are Banks.
template <class Bank>
std::span<Bank> banks_of(const BpfProbe& probe, std::string_view map) {
  const std::span<std::byte> cells = probe.cells(map);
  SM_CHECK(!cells.empty() && cells.size() % sizeof(Bank) == 0);
  return {reinterpret_cast<Bank*>(cells.data()), cells.size() / sizeof(Bank)};
}

// Returns false if `program` is among the missing hooks.
bool has_program(const BpfProbe& probe, std::string_view program);

using LoadedProbe = Result<std::unique_ptr<BpfProbe>>;

// How to load a subject.
struct BpfPlan {
  std::string_view subject;               // "sched"
  std::span<const std::byte> settings{};  // contents of the subject's `settings`, if it has any
  bool is_without_btf = false;            // pretend that the kernel has no BTF; for tests
};

// Loads and attaches what this kernel supports. Needs CAP_BPF and CAP_PERFMON. Errors: kUnavailable if
// nothing could be attached, with a reason to show as the status: "built without eBPF", "permission", "no
// BTF", or the kernel's message. Messages of libbpf are logged to `log` at debug level.
LoadedProbe load_bpf_probe(const BpfPlan& plan, Log& log);

// Returns the names of a kernel's enum by value; empty if the kernel has no BTF for it.
std::map<uint64_t, std::string> kernel_enum(const char* name);

}  // namespace statmill
