#include "agent/collectors/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace statmill {
namespace {

constexpr PerfEvent kHardware[] = {
    {"host.pmu.cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"host.pmu.instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"host.pmu.cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"host.pmu.cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"host.pmu.branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"host.pmu.branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

// Counts all tasks on the CPU. Returns -1 and sets errno if the event cannot be counted there.
int open_on(long cpu, const PerfEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, -1, static_cast<int>(cpu), -1, PERF_FLAG_FD_CLOEXEC));
}

std::string reason_of(int error) {
  if (error == EACCES || error == EPERM) return "permission (needs CAP_PERFMON)";
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) return "no PMU";
  return std::string("perf_event_open: ") + std::strerror(error);
}

}  // namespace

std::span<const PerfEvent> hardware_events() { return kHardware; }

Result<std::unique_ptr<PerfCounters>> PerfCounters::open(std::span<const PerfEvent> events) {
  std::unique_ptr<PerfCounters> counters(new PerfCounters());
  const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  for (const PerfEvent& event : events) {
    Counter counter{.family = event.family, .of_cpus = {}};
    int error = 0;
    for (long cpu = 0; cpu < cpus; ++cpu) {
      const int fd = open_on(cpu, event);
      if (fd < 0) error = errno;
      if (fd >= 0) counter.of_cpus.push_back(fd);
    }
    if (!counter.of_cpus.empty()) {
      counters->counters_.push_back(std::move(counter));
    } else if (counters->counters_.empty()) {
      return Error{ErrorCode::kUnavailable, reason_of(error)};
    }
  }
  return counters;
}

PerfCounters::~PerfCounters() {
  for (const Counter& counter : counters_) {
    for (const int fd : counter.of_cpus) ::close(fd);
  }
}

std::vector<PerfCounters::Count> PerfCounters::read() {
  std::vector<Count> counts;
  for (Counter& counter : counters_) {
    double sum = 0;
    bool has_run = false;
    for (const int fd : counter.of_cpus) {
      std::array<uint64_t, 3> reading{};  // value, ns enabled, ns running
      if (::read(fd, reading.data(), sizeof(reading)) != sizeof(reading) || reading[2] == 0) continue;
      has_run = true;
      sum +=
          static_cast<double>(reading[0]) * static_cast<double>(reading[1]) / static_cast<double>(reading[2]);
    }
    if (!has_run) continue;
    counter.value = std::max(counter.value, static_cast<uint64_t>(sum));
    counts.push_back({counter.family, counter.value});
  }
  return counts;
}

}  // namespace statmill
