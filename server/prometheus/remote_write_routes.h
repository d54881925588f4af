// The routes of Prometheus' remote_write (docs/prometheus.md).
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/http/router.h"
#include "server/prometheus/remote_write_intake.h"

namespace statmill {

// Both must outlive the routes.
std::vector<Route> remote_write_routes(const RemoteWriteIntake& intake, const Clock& clock);

}  // namespace statmill
