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

#include "agent/catalogue/catalogue.h"
#include "agent/catalogue/series_name.h"
#include "agent/collectors/proc_reader.h"
#include "base/clock.h"
#include "base/result.h"
#include "proto/agent/frames.h"

namespace statmill {

class BpfProbe;
class ContainerNames;
class PerfCounters;

// All values seen so far, as an H2 histogram (statmill/h2.h).
struct Distribution {
  unsigned grouping_power = 0;
  std::span<const uint64_t> counts;  // by bucket index
  uint64_t sum = 0;                  // of the values, modulo 2^64
  uint64_t sum_missing_max = 0;      // see Reading
};

// One series: its family, and its name with the tags of the family, "host.block.bytes;device=vda;op=read".
struct HostSeries {
  const Family& family;
  std::string_view name;
};

// Receives the samples. Collectors call gauge(), total() and distribution() with a path of the catalogue,
// which is found at compile time, and one value per tag of the family. Cost: the name is put together in a
// buffer.
class MetricSink {
 public:
  virtual ~MetricSink() = default;

  // Reports an observed value.
  void gauge(GaugeFamily family, TagValues tags, double value) {
    add_gauge(series(family.family(), tags), value);
  }
  void gauge(GaugeFamily family, double value) { gauge(family, {}, value); }
  // Reports a cumulative total, which becomes an event sample of its growth since the previous total. The
  // first total of a series makes no sample. A total lower than the previous one (for example after a reboot)
  // makes none either and is counted.
  void total(EventFamily family, TagValues tags, uint64_t total) {
    add_total(series(family.family(), tags), total);
  }
  void total(EventFamily family, uint64_t total) { this->total(family, {}, total); }
  // Reports a cumulative distribution, which becomes a sample of the values since the previous one. The first
  // distribution of a series makes no sample.
  void distribution(DistributionFamily family, TagValues tags, const Distribution& total) {
    add_distribution(series(family.family(), tags), total);
  }
  void distribution(DistributionFamily family, const Distribution& total) { distribution(family, {}, total); }

  // Adds to a counter, in whose silence nothing is known.
  void increment(CounterFamily family, uint64_t by);

  // The functions above call these. A sink that passes samples on calls them, too. The name is valid during
  // the call.
  virtual void add_gauge(const HostSeries& series, double value) = 0;
  virtual void add_total(const HostSeries& series, uint64_t total) = 0;
  virtual void add_distribution(const HostSeries& series, const Distribution& total) = 0;
  // Totals and distributions whose names start with `name_prefix` were not read this time and continue later.
  virtual void keep(std::string_view name_prefix) = 0;
  // Adds whole lines of the line protocol, each ended by LF and without a time.
  virtual void lines(std::string_view lines) = 0;
  // The metrics that follow come from this collector, or from the agent itself if the name is empty.
  virtual void begin_collector(std::string_view /*name*/) {}

 private:
  HostSeries series(const Family& family, TagValues tags) {
    name_.clear();
    append_series_name(name_, family, tags);
    return {family, name_};
  }

  std::string name_;
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
  // As used in --collectors.
  virtual std::string_view name() const = 0;
  // Reports what can be read now to `sink` and returns the status: kDegraded if some samples are missing,
  // kUnavailable if all are. Must not block. What cannot be read gets no sample: absent is never 0.
  virtual CollectorStatus collect(MetricSink& sink) = 0;
  // The CollectorSources that served its last collect().
  virtual uint8_t sources() const { return kSourceFiles; }
  // Returns the CPU time of its own threads, for readings that have ended.
  virtual uint64_t background_cpu_ns() const { return 0; }
  // Its programs in the kernel, or null if it has none.
  virtual const BpfProbe* probe() const { return nullptr; }
};

// The readers must outlive the collectors.
std::unique_ptr<Collector> make_cpu_collector(ProcReader& proc);
std::unique_ptr<Collector> make_load_collector(ProcReader& proc);
std::unique_ptr<Collector> make_psi_collector(ProcReader& proc);
std::unique_ptr<Collector> make_files_collector(ProcReader& proc);
std::unique_ptr<Collector> make_system_collector(ProcReader& proc);
// `directory` is /sys/devices/system/node except in tests. `clock` must outlive the collector.
std::unique_ptr<Collector> make_numa_collector(const std::string& directory, const Clock& clock);
// What the text of /proc tells of the collectors that have eBPF programs, too (text_and_ebpf.h).
std::unique_ptr<Collector> make_memory_text(ProcReader& proc);
std::unique_ptr<Collector> make_block_text(ProcReader& proc);
std::unique_ptr<Collector> make_net_text(ProcReader& proc);
std::unique_ptr<Collector> make_inet_text(ProcReader& proc);
// If `counters` is an error, the collector is unavailable with that reason.
std::unique_ptr<Collector> make_pmu_collector(Result<std::unique_ptr<PerfCounters>> counters);
// `mount` is the directory with the cgroups: /sys/fs/cgroup except in tests. The others must outlive the
// collector.
std::unique_ptr<Collector> make_cgroup_collector(const std::string& mount, const Clock& clock,
                                                 ContainerNames& containers);

}  // namespace statmill
