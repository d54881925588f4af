// SelfReport: reports the agent's own figures, CPU use and memory, and that the host is up.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agent/collectors/collector.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class SelfReport {
 public:
  // `proc` must outlive the report.
  explicit SelfReport(ProcReader& proc) : proc_(proc) {}

  // Adds a number that is 0 at the start and never decreases. The first report says 0, each later one calls
  // `read`; what it refers to must outlive the report.
  void add_total(EventFamily family, std::function<uint64_t()> read) {
    totals_.push_back({family, std::move(read)});
  }
  // Adds a current value, in the same way. It may return NaN: not known, and not reported.
  void add_gauge(GaugeFamily family, std::function<double()> read) {
    gauges_.push_back({family, std::move(read)});
  }
  // Puts into `sink` what was added, and:
  // host.up: one collection, as a counter (proto/host_presence.h).
  // host.agent.cpu_percent: the CPU time of this process since the previous report, in percent of one CPU;
  // absent from the first report.
  // host.agent.rss_bytes: resident memory.
  void report(SteadyTime now, MetricSink& sink);

 private:
  struct Total {
    EventFamily family;
    std::function<uint64_t()> read;
  };
  struct Level {
    GaugeFamily family;
    std::function<double()> read;
  };
  struct CpuReading {
    SteadyTime at;
    std::chrono::nanoseconds used;
  };
  // Both return NaN if it is not known.
  double cpu_percent(SteadyTime now);
  double rss_bytes();

  ProcReader& proc_;
  std::vector<Total> totals_;
  std::vector<Level> gauges_;
  std::optional<CpuReading> last_;
  bool has_reported_ = false;
};

}  // namespace statmill
