// The routes of shared views: POST /api/v1/views and GET /api/v1/views/VIEW (server/http/API.md).
#pragma once

#include <vector>

#include "base/clock.h"
#include "server/documents/view_set.h"
#include "server/documents/write_answers.h"
#include "server/http/router.h"

namespace statmill {

// All must outlive the routes.
std::vector<Route> view_routes(ViewSet& views, const WriteAnswers& writes, const Clock& clock);

}  // namespace statmill
