// The route query_exemplars of Prometheus' HTTP API (API.md).
#pragma once

#include "server/http/router.h"
#include "server/query/exemplars.h"

namespace statmill {

// Exemplars of one answer, unless the request has a limit.
inline constexpr size_t kExemplarsAnsweredMax = 10'000;

// All must outlive the route.
Route exemplar_route(const ExemplarsSources& sources);

}  // namespace statmill
