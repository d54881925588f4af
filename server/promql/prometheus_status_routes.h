// The routes of Prometheus' HTTP API that tell of the server (API.md): what its clients ask first.
#pragma once

#include <vector>

#include "base/clock.h"
#include "ingest/scrape/scrape_board.h"
#include "server/http/router.h"
#include "server/query/query_limits.h"
#include "server/query/series_catalog.h"
#include "server/store_stats_cache.h"
#include "storage/live_retention.h"

namespace statmill {

// All references must outlive the routes.
struct PrometheusStatus {
  const SeriesCatalog& catalog;
  const StoreStatsCache& store;
  const LiveRetention& retention;
  Duration query_timeout;
  Timestamp started;
  const ScrapeBoard* scrapes = nullptr;  // null: nothing is scraped
};

std::vector<Route> prometheus_status_routes(const PrometheusStatus& status);

}  // namespace statmill
