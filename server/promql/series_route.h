// GET /api/v1/series (API.md) with a selector of PromQL as `match`.
#pragma once

#include <vector>

#include "server/http/router.h"
#include "server/query/queries.h"

namespace statmill {

// Lets the route /api/v1/series of api_routes() list what a selector names, too: a `match` with a brace and a
// quote. `queries` must outlive the routes. Requires: the route is there.
void list_selected_series(std::vector<Route>& routes, const Queries& queries);

}  // namespace statmill
