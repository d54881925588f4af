// The routes of Prometheus' Pushgateway: jobs that end before anybody can scrape them push what they have
// (docs/prometheus.md).
#pragma once

#include <vector>

#include "base/clock.h"
#include "ingest/intake.h"
#include "server/http/router.h"
#include "server/prometheus/remote_table.h"

namespace statmill {

// All must outlive the routes. Samples are counted for the listener "push".
std::vector<Route> push_routes(RemoteTable& table, FamilyTypes& types, Intake& intake, const Clock& clock);

}  // namespace statmill
