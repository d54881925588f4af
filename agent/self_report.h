// SelfReport: what the agent counts of itself and what it costs, in a registry of counters.
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
  // `prefix` goes before each name, with a dot between. `proc` must outlive the report.
  SelfReport(std::string prefix, ProcReader& proc);

  // A number that only grows, and is asked for at each report. What `read` asks must outlive the report.
  void add_total(std::string_view name, std::string_view help, std::function<uint64_t()> read);
  // A number of now, likewise.
  void add_gauge(std::string_view name, std::string_view help, std::function<double()> read);
  // Puts the growth of all totals since sent() into `sink`, and
  // agent.cpu_percent: of one CPU, by this process since the report before; the first has none.
  // agent.rss_bytes: resident memory.
  void report(SteadyTime now, MetricSink& sink);
  // What report() tells, as "statmill.host.<name>", in text of Prometheus.
  std::string prometheus_text() const;
  // What was reported last is on its way to the server.
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
  double cpu_percent_;  // NaN: not known, and not told
  Registry registry_;
  ReportLines lines_;
};

}  // namespace statmill
