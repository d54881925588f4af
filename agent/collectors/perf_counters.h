// PerfCounters: counters of perf_event_open(2) on every CPU, counting from open() on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agent/catalogue/catalogue.h"
#include "base/result.h"

namespace statmill {

struct PerfEvent {
  EventFamily family;
  uint32_t type = 0;  // PERF_TYPE_*
  uint64_t config = 0;
};

// Cycles, instructions, cache and branch events of the CPU's hardware counters.
std::span<const PerfEvent> hardware_events();

// Confined to one thread.
class PerfCounters {
 public:
  // Needs CAP_PERFMON. Errors: kUnavailable, with a reason to show as the status, if the first event cannot
  // be counted on any CPU. Other events that cannot be counted are left out.
  static Result<std::unique_ptr<PerfCounters>> open(std::span<const PerfEvent> events);
  ~PerfCounters();
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;

  struct Count {
    EventFamily family;
    uint64_t value = 0;
  };
  // Returns the counts so far, summed over all CPUs. An event that shared its counter with others is scaled
  // to the whole time; one that never ran is left out. Cost: for each event and CPU, a system call and an
  // interrupt of that CPU.
  std::vector<Count> read();

 private:
  struct Counter {
    EventFamily family;
    std::vector<int> of_cpus;
    uint64_t value = 0;  // maximum so far: scaling could make a sum shrink
  };
  PerfCounters() = default;

  std::vector<Counter> counters_;
};

}  // namespace statmill
