// SchedProbe: the scheduler probe in the kernel (bpf/sched.bpf.c), loaded, and the totals it keeps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/log.h"
#include "base/result.h"
#include "bpf/sched.h"

namespace statmill {

// Cell i counts the values, in ns, with h2_index(value) == i.
using H2Histogram = std::array<uint64_t, H2_BUCKETS>;

// Since the probe was loaded, all CPUs together; meanings as in bpf/sched.h.
struct SchedTotals {
  H2Histogram runqueue_wait{};
  H2Histogram off_cpu{};
  H2Histogram on_cpu{};
  uint64_t switches_voluntary = 0;
  uint64_t switches_involuntary = 0;
  uint64_t discarded = 0;
};

// Unloads the probe when destroyed.
class SchedProbe {
 public:
  virtual ~SchedProbe() = default;
  // Reads while the kernel writes: each cell is right, but not all are of the same instant. No system call.
  virtual SchedTotals read() const = 0;
};

// Needs CAP_BPF and CAP_PERFMON, kernel 6.1 and BTF. Errors: kUnavailable, with a reason fit for a status:
// "built without eBPF", "permission", "no BTF", or what the kernel said. libbpf's own words go to `log` at
// debug.
Result<std::unique_ptr<SchedProbe>> load_sched_probe(Log& log);

}  // namespace statmill
