// The routes of Prometheus' HTTP API that only need the text of a query (API.md): its canonical form, and its
// syntax tree.
#pragma once

#include <vector>

#include "server/http/router.h"

namespace statmill {

// Answers have the envelope of Prometheus: {"status":"success","data":...}, or {"status":"error",
// "errorType":"bad_data","error":"..."} with status 400.
std::vector<Route> prometheus_routes();

}  // namespace statmill
