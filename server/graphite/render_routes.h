// The routes of Graphite that compute: /render, and /functions, which lists what it can compute.
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/graphite/stored_targets.h"
#include "server/http/router.h"

namespace statmill::graphite {

// All must outlive the routes.
struct RenderSources {
  StoredTargets::Sources series;
  StoredTargets::EventTimes events;
  const Clock& clock;
};

// Each route is also below /graphite.
std::vector<Route> render_routes(const RenderSources& sources);

}  // namespace statmill::graphite
