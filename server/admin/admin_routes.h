// The routes of the admin socket (server/http/API.md). They are not reachable over TCP.
#pragma once

#include <vector>

#include "server/admin/admin.h"
#include "server/http/router.h"

namespace statmill {

// `admin` must outlive the routes.
std::vector<Route> admin_routes(Admin& admin);

}  // namespace statmill
