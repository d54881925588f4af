// The routes of dashboards: /api/v1/dashboards and below (server/http/API.md).
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/documents/dashboard_files.h"
#include "server/documents/dashboard_set.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kDashboardNoteBytesMax = 200;

// What the routes use; all must outlive them.
struct DashboardServices {
  DashboardSet& saved;
  DashboardFiles& files;
  const WriteAnswers& writes;
  const Clock& clock;
};

std::vector<Route> dashboard_routes(const DashboardServices& services);

}  // namespace statmill
