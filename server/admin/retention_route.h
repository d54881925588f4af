// GET /admin/v1/retention: how long the series of each class are kept, and what another retention would drop
// (server/http/API.md).
#pragma once

#include <functional>

#include "server/admin/retention_outlook.h"
#include "server/http/router.h"
#include "server/retention_settings.h"

namespace statmill {

// Returns the retention that a reload would use at present, with some values in place of the settings'.
using RetentionReader = std::function<Result<Retention>(const InsteadValues&)>;

// `sources` and `read` must outlive the route.
Route retention_route(const OutlookSources& sources, const RetentionReader& read);

}  // namespace statmill
