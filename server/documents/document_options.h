// DocumentOptions: the limits of events, dashboards and views.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/clock.h"

namespace statmill {

struct EventLimits {
  size_t events_max = 100'000;          // --limits.events
  size_t bytes_max = size_t{64} << 20;  // --limits.event_bytes: of all events in RAM
};

struct DashboardLimits {
  size_t bytes_max = size_t{64} << 20;  // --dashboards.bytes: of all versions in RAM
  size_t dashboards_max = 10'000;       // including deleted ones
  size_t versions_max = 50;             // of one dashboard; older ones go
  Duration deleted_kept = std::chrono::hours(24 * 30);
};

struct ViewLimits {
  size_t views_max = 10'000;
  size_t bytes_max = size_t{64} << 20;
};

struct DocumentOptions {
  EventLimits events;
  DashboardLimits dashboards;
  ViewLimits views;
  std::string dashboards_dir;  // --dashboards.dir: a folder of read-only dashboards; empty: none
};

}  // namespace statmill
