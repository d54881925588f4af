// FastSampler: takes samples of a few collectors more often than the Sampler, for recordings alone. It has
// collectors of its own, since each remembers what it read last. It reports nothing about the agent itself.
#pragma once

#include "agent/batch_builder.h"
#include "agent/collection.h"
#include "agent/collection_schedule.h"
#include "agent/collectors/container_names.h"
#include "agent/collectors/proc_reader.h"
#include "agent/config.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

// Confined to one thread.
class FastSampler {
 public:
  // Has the collectors config.hindsight.fast. `log` and `clock` must outlive it.
  FastSampler(const AgentConfig& config, Log& log, const Clock& clock);

  // Collects once and returns the lines. The first collection lacks totals.
  LineBatch collect();
  // Returns the time until the next collection.
  Duration until_next() const { return schedule_.until_next(clock_.wall()); }

 private:
  const CollectionSchedule schedule_;
  const Clock& clock_;
  ProcReader proc_;
  ContainerNames containers_;
  BatchBuilder builder_;
  Collection collection_;
};

}  // namespace statmill
