// The routes of overviews, whose parameters have PromQL selectors (API.md): the table of statistics.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "server/http/router.h"
#include "server/promql/table_parameters.h"
#include "server/query/queries.h"

namespace statmill {

// {"from":0,"until":60,"tier":10,"total":1,"columns":["cpu:avg"],"rows":[{"row":"web1","values":[1.5]}]}, and
// "spark" in each row if the request has it.
std::string stat_table_json(const StatTable& table, const TableParameters& parameters);

// Both must outlive the routes.
std::vector<Route> overview_routes(const Queries& queries, const Clock& clock);

}  // namespace statmill
