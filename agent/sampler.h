// Sampler: takes the samples of this host: calls the collectors and the agent's own report, and says when the
// next collection is due.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/collection.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/proc_reader.h"
#include "agent/config.h"
#include "agent/latest_values.h"
#include "agent/self_report.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// Confined to one thread.
class Sampler {
 public:
  // `log` and `clock` must outlive it.
  Sampler(const AgentConfig& config, Log& log, const Clock& clock);

  // Collects once and returns the lines. The first collection lacks totals, because they are sent as growth.
  LineBatch collect();
  // Lets the next collection begin with unit and help of all families of the catalogue, unless one of the
  // last hour did.
  void announce_families_hourly();
  // Returns the time until the next collection.
  Duration until_next() const;
  Duration interval() const { return interval_; }

  // The status of the collectors. The texts are valid until the next collect().
  std::vector<CollectorNote> notes() const { return collection_.notes(); }
  SelfReport& self_report() { return self_report_; }
  // The last values of the collectors and of the agent's own report in Prometheus' format, if /metrics is on.
  std::string prometheus_text() const;

 private:
  const Duration interval_;
  const Duration phase_;  // offset of each collection within the interval; differs between hosts
  const Clock& clock_;
  ProcReader proc_;
  ContainerNames containers_;
  BatchBuilder builder_;
  LatestValues latest_{builder_};
  Collection collection_;
  SelfReport self_report_;
  std::optional<SteadyTime> announced_at_;  // the families
  bool announces_ = false;                  // the next collection begins with them
  const bool remembers_latest_;             // for /metrics
};

}  // namespace statmill
