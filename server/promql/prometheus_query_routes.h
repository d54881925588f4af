// The routes of Prometheus' HTTP API that read series (API.md): query, query_range, series, labels and label
// values, and what clients ask about the server.
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/http/router.h"
#include "server/query/series_catalog.h"
#include "server/query/stored_series.h"

namespace statmill {

// All must outlive the routes.
struct PrometheusSources {
  StoredSeries::Sources series;
  const SeriesCatalog& catalog;
  const Clock& clock;
};

std::vector<Route> prometheus_query_routes(const PrometheusSources& sources);

}  // namespace statmill
