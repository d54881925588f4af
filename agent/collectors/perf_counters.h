// PerfCounters: counters of perf_event_open(2) on every CPU, counting from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

struct PerfEvent {
  std::string_view name;  // as a part of a series name
  uint32_t type = 0;      // PERF_TYPE_*
  uint64_t config = 0;
};

// Cycles, instructions, cache and branch misses of the CPUs' own counters.
std::span<const PerfEvent> hardware_events();

// Confined to one thread.
class PerfCounters {
 public:
  // Needs CAP_PERFMON. Errors: kUnavailable, with a reason fit for a status, when the first event cannot be
  // counted on any CPU; of the others, those that can be are.
  static Result<std::unique_ptr<PerfCounters>> open(std::span<const PerfEvent> events);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  struct Count {
    std::string_view name;
    uint64_t value = 0;
  };
  // What was counted so far, all CPUs together. An event that had to share its counter is scaled to the whole
  // time; one that never had it is left out, which is not 0. A system call for each event and CPU, and an
  // interrupt of that CPU.
  std::vector<Count> read();

 private:
  struct Counter {
    std::string_view name;
    std::vector<int> of_cpus;
    uint64_t value = 0;  // greatest so far: scaling may let a sum shrink
  };
  PerfCounters() = default;

  std::vector<Counter> counters_;
};

}  // namespace statmill
