// The routes of Graphite that list paths: /metrics/find, /metrics/expand, /metrics/index.json, and /version;
// each also below /graphite (docs/graphite.md).
#pragma once

#include <vector>

#include "server/http/router.h"
#include "server/query/series_catalog.h"

namespace statmill::graphite {

// The catalog must outlive the routes.
std::vector<Route> find_routes(const SeriesCatalog& catalog);

}  // namespace statmill::graphite
