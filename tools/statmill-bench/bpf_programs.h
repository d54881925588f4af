// Reads what the kernel measures of eBPF programs: those of an agent, and empty ones at the same hooks.
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

// by program name
using BpfRunsByName = std::map<std::string, BpfRuns>;

// Returns the counts of the programs that a process holds. Errors: kUnavailable.
Result<BpfRunsByName> bpf_runs_of(pid_t pid);
// Returns the bytes of kernel memory that the maps of these programs use.
Result<uint64_t> bpf_map_bytes_of(pid_t pid);

// Loads empty programs (bpf/empty.bpf.c) and turns on the kernel's measurement of all programs. The
// destructor undoes both.
class BpfMeasuring {
 public:
  virtual ~BpfMeasuring() = default;
};
// Errors: kUnavailable.
Result<std::unique_ptr<BpfMeasuring>> begin_bpf_measuring();

}  // namespace statmill
