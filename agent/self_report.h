// SelfReport: reports the agent's own counters, CPU use and memory.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "counters/report_lines.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to one thread.
class SelfReport {
 public:
  // Writes `prefix` and a dot before each name. `proc` must outlive the report.
  SelfReport(std::string prefix, ProcReader& proc);

  // Adds a number that never decreases. Each report calls `read`; what it refers to must outlive the report.
  void add_total(std::string_view name, std::string_view help, std::function<uint64_t()> read);
  // Adds a current value, in the same way.
  void add_gauge(std::string_view name, std::string_view help, std::function<double()> read);
  // Puts into `sink` the growth of all totals since the last sent(), and these gauges:
  // agent.cpu_percent: the CPU time of this process since the previous report, in percent of one CPU; absent
  // from the first report.
  // agent.rss_bytes: resident memory.
  void report(SteadyTime now, MetricSink& sink);
  // Returns the contents of report() as text in Prometheus' format, with names "statmill.host.<name>".
  std::string prometheus_text() const;
  // Marks the last report as sent: the next one contains only the growth after it.
  void sent() { lines_.sent(std::string::npos); }

 private:
  struct CpuReading {
    SteadyTime at;
    std::chrono::nanoseconds used;
  };
  void measure_cpu(SteadyTime now);
  double rss_bytes();

  const std::string prefix_;
  ProcReader& proc_;
  std::optional<CpuReading> last_;
  double cpu_percent_;  // NaN: unknown, not reported
  Registry registry_;
  ReportLines lines_;
};

}  // namespace statmill
