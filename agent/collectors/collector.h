// Collector: reads a source (a file of /proc, a BPF map) once per interval and reports it as samples.
//
// Each collector is one small file with a make_ function. The Collection calls the collectors, remembers
// their status and retries unavailable ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "agent/collectors/proc_reader.h"
#include "base/clock.h"
#include "base/result.h"

namespace statmill {

class BpfProbe;
class PerfCounters;

// All values seen so far, as an H2 histogram (statmill/h2.h).
struct Distribution {
  unsigned grouping_power = 0;
  std::span<const uint64_t> counts;  // by bucket index
  uint64_t sum = 0;                  // of the values, modulo 2^64
  uint64_t sum_missing_max = 0;      // see Reading
};

// Receives the samples. A name is the part after the host's prefix: "memory.free", "disk.sda.reads".
class MetricSink {
 public:
  virtual ~MetricSink() = default;
  // Reports an observed value.
  virtual void gauge(std::string_view name, double value) = 0;
  // Reports a cumulative total, which becomes an event sample of its growth since the previous total. The
  // first total of a name makes no sample. A total lower than the previous one (for example after a reboot)
  // makes none either and is counted.
  virtual void total(std::string_view name, uint64_t total) = 0;
  // Reports a cumulative distribution, which becomes a sample of the values since the previous one. The first
  // distribution of a name makes no sample.
  virtual void distribution(std::string_view name, const Distribution& total) = 0;
  // Totals and distributions whose names start with `name_prefix` were not read this time and continue later.
  virtual void keep(std::string_view name_prefix) = 0;
  // Adds whole lines of the line protocol, each ended by LF. No prefix is added to their names.
  virtual void lines(std::string_view lines) = 0;
  // The timestamp to write in those lines, as text: seconds since 1970.
  virtual std::string_view time() const = 0;
};

struct CollectorStatus {
  enum class Level { kOk = 0, kDegraded = 1, kUnavailable = 2 };  // the values of the status series
  Level level = Level::kOk;
  std::string reason;  // empty when ok

  static CollectorStatus degraded(std::string reason) { return {Level::kDegraded, std::move(reason)}; }
  static CollectorStatus unavailable(std::string reason) { return {Level::kUnavailable, std::move(reason)}; }
  bool operator==(const CollectorStatus&) const = default;
};

// "ok", "degraded", "unavailable".
std::string_view status_text(CollectorStatus::Level level);

// Confined to one thread.
class Collector {
 public:
  virtual ~Collector() = default;
  // One part of a series name, as used in --collectors.
  virtual std::string_view name() const = 0;
  // Reports what can be read now to `sink` and returns the status: kDegraded if some samples are missing,
  // kUnavailable if all are. Must not block. What cannot be read gets no sample: absent is never 0.
  virtual CollectorStatus collect(MetricSink& sink) = 0;
  // Its programs in the kernel, or null if it has none.
  virtual const BpfProbe* probe() const { return nullptr; }
};

// The readers must outlive the collectors.
std::unique_ptr<Collector> make_cpu_collector(ProcReader& proc);
std::unique_ptr<Collector> make_load_collector(ProcReader& proc);
std::unique_ptr<Collector> make_memory_collector(ProcReader& proc);
std::unique_ptr<Collector> make_vmstat_collector(ProcReader& proc);
std::unique_ptr<Collector> make_disk_collector(ProcReader& proc);
std::unique_ptr<Collector> make_network_collector(ProcReader& proc);
std::unique_ptr<Collector> make_psi_collector(ProcReader& proc);
std::unique_ptr<Collector> make_snmp_collector(ProcReader& proc);
// If `counters` is an error, the collector is unavailable with that reason.
std::unique_ptr<Collector> make_pmu_collector(Result<std::unique_ptr<PerfCounters>> counters);
// `mount` is the directory with the cgroups: /sys/fs/cgroup except in tests. `clock` must
// outlive the collector.
std::unique_ptr<Collector> make_cgroup_collector(const std::string& mount, const Clock& clock);

// Converts the text to one part of a series name: lower case; every byte except a-z 0-9 _ - becomes '_'.
std::string series_part(std::string_view text);

}  // namespace statmill
