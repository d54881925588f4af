// Collector: turns something readable (a file of /proc, a BPF map) into samples, once each interval.
//
// Each collector is one small file behind a make_ function; the Collection calls them, keeps their status and
// tries again those that are unavailable.
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

// All values that were seen so far: an H2 histogram (statmill/h2.h).
struct Distribution {
  unsigned grouping_power = 0;
  std::span<const uint64_t> counts;  // by the index of the bucket
  uint64_t sum = 0;                  // of the values, modulo 2^64
  uint64_t sum_missing_max = 0;      // see Reading
};

// Where samples go. Names are what follows the host's prefix: "memory.free", "disk.sda.reads".
class MetricSink {
 public:
  virtual ~MetricSink() = default;
  // An observation.
  virtual void gauge(std::string_view name, double value) = 0;
  // A cumulative total that only grows: becomes an event sample of its growth since the total before. The
  // first total of a name gives none; nor does one below the last (the kernel started anew), which is
  // counted.
  virtual void total(std::string_view name, uint64_t total) = 0;
  // A cumulative distribution: what came since the one before becomes a sample of many values. The first
  // of a name gives none, as a total.
  virtual void distribution(std::string_view name, const Distribution& total) = 0;
  // Totals and distributions whose names begin so were not read this time, and go on at another.
  virtual void keep(std::string_view beginning) = 0;
  // Whole lines of the line protocol, each ended by LF, with names that no prefix goes before.
  virtual void lines(std::string_view lines) = 0;
  // What such lines are to say that it is: seconds since 1970.
  virtual std::string_view time() const = 0;
};

struct CollectorStatus {
  enum class Level {
    kOk = 0,
    kDegraded = 1,
    kUnavailable = 2
  };  // the numbers are what the status series says
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
  // One part of a series name, as in --collectors.
  virtual std::string_view name() const = 0;
  // Puts what can be read now into `sink` and says how that went. kDegraded: some samples are missing;
  // kUnavailable: all are. Must not block. Absent is never zero: what cannot be read gives no sample.
  virtual CollectorStatus collect(MetricSink& sink) = 0;
  // Its programs in the kernel; null: it has none.
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
// Unavailable for the error of `counters`.
std::unique_ptr<Collector> make_pmu_collector(Result<std::unique_ptr<PerfCounters>> counters);
// The directory under which cgroups are: /sys/fs/cgroup but in tests. `clock` must outlive the collector.
std::unique_ptr<Collector> make_cgroup_collector(const std::string& mount, const Clock& clock);

// The text as one part of a series name: lower case; every byte but a-z 0-9 _ - becomes '_'.
std::string series_part(std::string_view text);

}  // namespace statmill
