// The JSON of /api/v1/status: the state of the server, for people and for `statmill status`.
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "ingest/connection_registry.h"
#include "server/disk_forecast.h"
#include "server/health.h"
#include "server/report/reports.h"
#include "server/store_stats_cache.h"
#include "server/table/table.h"
#include "server/write_rate.h"
#include "statmill/registry.h"

namespace statmill {

struct StatusSources {  // all must outlive it
  const Table& table;
  const StoreStatsCache& store;
  const DiskForecast& forecast;
  const WriteRate& writes;
  const Registry& registry;
  const Health& health;
  const ConnectionRegistry& connections;
  const Clock& clock;
  SteadyTime started;
  std::string_view build;  // of the page
  bool is_demo = false;
  std::string_view recording = {};  // name of the file that is served; empty: none
  Reports::Reader reader = {};
  std::span<const ListenerAddress> listeners = {};
};

inline constexpr size_t kStatusConnectionsMax = 100;  // connections listed; "connection_count" counts all

std::string status_json(const StatusSources& sources);

}  // namespace statmill
