// SelfReport: what the agent itself costs.
#pragma once

#include <optional>

#include "agent/collectors/collector.h"
#include "base/clock.h"

namespace statmill {

// Confined to one thread.
class SelfReport {
 public:
  // `proc` must outlive the report.
  explicit SelfReport(ProcReader& proc) : proc_(proc) {}

  // agent.cpu_percent: of one CPU, by this process since the report before; the first has none.
  // agent.rss_bytes: resident memory.
  void report(SteadyTime now, SampleSink& sink);

 private:
  struct CpuReading {
    SteadyTime at;
    std::chrono::nanoseconds used;
  };
  ProcReader& proc_;
  std::optional<CpuReading> last_;
};

}  // namespace statmill
