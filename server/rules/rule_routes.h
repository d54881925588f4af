// The routes /prometheus/api/v1/rules and alerts, as Prometheus answers them
// (prometheus.io/docs/prometheus/latest/querying/api, "Rules" and "Alerts").
#pragma once

#include <vector>

#include "server/http/router.h"
#include "server/rules/rule_board.h"

namespace statmill::rules {

// The board must outlive the routes; null: there are no rules.
std::vector<Route> rule_routes(const RuleBoard* board);

}  // namespace statmill::rules
