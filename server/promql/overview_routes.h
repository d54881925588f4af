// The routes of overviews, whose parameters have PromQL selectors (API.md): the table of statistics, and what
// has changed.
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

// {"from":60,"until":120,"was_from":0,"was_until":60,"selected":1,"compared":1,"series":[{"name":"cpu","kind":
// "gauge","score":0.7,"by":"mean","deviations":2.07,"was":{"avg":1,"sd":0.5,"n":10},"is":{...}}]}
std::string changes_json(const ChangesAnswer& answer);

// Both must outlive the routes.
std::vector<Route> overview_routes(const Queries& queries, const Clock& clock);

}  // namespace statmill
