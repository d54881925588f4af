// The routes of snapshots: what `statmill backup` asks.
#pragma once

#include <vector>

#include "server/admin/snapshots.h"
#include "server/http/router.h"

namespace statmill {

// `snapshots` must outlive them.
std::vector<Route> snapshot_routes(Snapshots& snapshots);

}  // namespace statmill
