#include "server/server_watchdog.h"

#include <string>

#include "ingest/loop_lag.h"

namespace statmill {
namespace {

Watchdog::Services report_to(Registry& registry, Health& health, const Clock& clock, Log& log) {
  return {clock, log, loop_lag_recorder(registry),
          [&health](std::string_view part, const std::string& text) { health.set(part, text); },
          [&health](std::string_view part, const std::string& text) { health.warn(part, text); }};
}

}  // namespace

ServerWatchdog::ServerWatchdog(const WatchdogOptions& options, Registry& registry, Health& health,
                               const Clock& clock, Log& log)
    : look_(options.look), log_(log), watchdog_(options, report_to(registry, health, clock, log)) {
  watchdog_.add_task("tick", tick_);
  watchdog_.add_task("stop", stop_);
  registry.gauge_fn(
      "statmill.tick_age_seconds", "How long the current tick has been running; 0: none is running.", {},
      [this, &clock] { return std::chrono::duration<double>(tick_.age(clock.steady())).count(); });
}

}  // namespace statmill
