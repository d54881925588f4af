// Sampler: takes the samples of this host: calls the collectors and the agent's own report, and says when the
// next collection is due.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/batch_builder.h"
#include "agent/collection.h"
#include "agent/collection_schedule.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/proc_reader.h"
#include "agent/config.h"
#include "agent/latest_values.h"
#include "agent/recording/trigger_watch.h"
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
  // Returns the texts of the triggers that the last collection fires. Call it once after each.
  std::vector<std::string> fired() { return triggers_.fired(); }
  // Returns the texts of the triggers that have read nothing for long, each once. Call it after fired().
  std::vector<std::string> unread() { return triggers_.unread(); }
  // Returns the time until the next collection.
  Duration until_next() const { return schedule_.until_next(clock_.wall()); }
  Duration interval() const { return schedule_.interval(); }

  // The status of the collectors. The texts are valid until the next collect().
  std::vector<CollectorNote> notes() const { return collection_.notes(); }
  SelfReport& self_report() { return self_report_; }
  // The last values of the collectors and of the agent's own report in Prometheus' format, if /metrics is on.
  std::string prometheus_text() const;

 private:
  const CollectionSchedule schedule_;
  const Clock& clock_;
  ProcReader proc_;
  ContainerNames containers_;
  BatchBuilder builder_;
  LatestValues latest_{builder_};
  TriggerWatch triggers_;
  Collection collection_;
  SelfReport self_report_;
  std::optional<SteadyTime> announced_at_;  // the families
  bool announces_ = false;                  // the next collection begins with them
};

}  // namespace statmill
