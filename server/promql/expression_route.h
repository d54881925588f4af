// GET /api/v1/query with a PromQL expression (API.md): the parameter `expr` in place of `series`.
#pragma once

#include <vector>

#include "base/result.h"
#include "server/http/router.h"
#include "server/promql/prometheus_query_routes.h"
#include "server/query/bins.h"
#include "server/query/queries.h"
#include "server/query/series_source.h"

namespace statmill {

// The rows of an answer to an expression: the multiples of the step in (from, until], as far as the bins are
// widened to whole slots. If there is none, and if there is only one bin, the only row is at its end. Each is
// the end of a bin, since a value of PromQL at T is of what was before T.
Grid expression_grid(const Bins& bins);

// Lets the route /api/v1/query of api_routes() answer expressions, too. A selector with `stats` is a query by
// labels, which `queries` answers. `queries` must outlive the routes. Requires: the route is there.
void answer_expressions(std::vector<Route>& routes, const PrometheusSources& sources, const Queries& queries);

}  // namespace statmill
