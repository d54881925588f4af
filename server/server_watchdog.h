// ServerWatchdog: the watchdog of the server with the tasks that it watches, reporting to metrics and health.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/watchdog.h"
#include "base/net/watchdog_thread.h"
#include "base/task_time.h"
#include "base/watchdog_options.h"
#include "server/health.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the main thread, except for its members.
class ServerWatchdog {
 public:
  // All must outlive it. Registers statmill.tick_age_seconds; statmill.loop_lag_ns follows with each loop.
  ServerWatchdog(const WatchdogOptions& options, Registry& registry, Health& health, const Clock& clock,
                 Log& log);

  // Starts the thread that checks loops and tasks.
  void start() { thread_ = std::make_unique<WatchdogThread>(watchdog_, log_, look_); }

  Watchdog& watchdog() { return watchdog_; }
  TaskTime& tick() { return tick_; }
  TaskTime& stop() { return stop_; }

 private:
  const Duration look_;
  Log& log_;
  Watchdog watchdog_;
  TaskTime tick_;
  TaskTime stop_;
  std::unique_ptr<WatchdogThread> thread_;
};

}  // namespace statmill
