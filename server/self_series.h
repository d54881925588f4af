// SelfSeries: feeds the server's own metrics into the intake as series named `statmill.*`.
#pragma once

#include "base/clock.h"
#include "counters/report_lines.h"
#include "ingest/intake.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the tick thread.
class SelfSeries {
 public:
  static constexpr Duration kInterval = std::chrono::seconds(10);

  // Both must outlive it.
  SelfSeries(Intake& intake, const Registry& registry)
      : intake_(intake), registry_(registry), account_(intake.account("self")) {}

  // Once every kInterval: sends counters that grew as events, gauges as gauges, histograms as distributions.
  // Puts "statmill." before each name that does not begin with it.
  void feed(Timestamp now, SteadyTime steady);

 private:
  Intake& intake_;
  const Registry& registry_;
  const ListenerAccount account_;
  ReportLines lines_;
  SteadyTime next_{};
};

}  // namespace statmill
