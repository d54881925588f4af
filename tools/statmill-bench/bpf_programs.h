// What the kernel measured of eBPF programs: those of an agent, and empty ones of ours beside them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace statmill {

struct BpfRuns {
  uint64_t count = 0;
  uint64_t ns = 0;

  BpfRuns since(const BpfRuns& before) const { return {count - before.count, ns - before.ns}; }
};

// By the programs' names.
using BpfRunsByName = std::map<std::string, BpfRuns>;

// Of the programs that a process holds. Errors: kUnavailable.
Result<BpfRunsByName> bpf_runs_of(pid_t pid);
// Bytes of the kernel's memory that their maps take.
Result<uint64_t> bpf_map_bytes_of(pid_t pid);

// Empty programs (bpf/empty.bpf.c) while it lives, and the kernel's measuring of all programs.
class BpfMeasuring {
 public:
  virtual ~BpfMeasuring() = default;
};
// Errors: kUnavailable.
Result<std::unique_ptr<BpfMeasuring>> begin_bpf_measuring();

}  // namespace statmill
