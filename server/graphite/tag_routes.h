// The routes of Graphite below /tags, which list tags, their values, and series by expressions over tags;
// each also below /graphite (docs/graphite.md).
#pragma once

#include <vector>

#include "server/http/router.h"
#include "server/query/series_catalog.h"
#include "server/query/series_selector.h"

namespace statmill::graphite {

// Both must outlive the routes.
struct GraphiteTags {
  const SeriesSelector& selector;
  const SeriesCatalog& catalog;
};
std::vector<Route> tag_routes(const GraphiteTags& tags);

}  // namespace statmill::graphite
