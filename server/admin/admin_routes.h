// The routes that are served at the admin socket, and nowhere else (server/http/API.md).
#pragma once

#include <vector>

#include "server/admin/admin.h"
#include "server/http/router.h"

namespace statmill {

// `admin` must outlive the routes.
std::vector<Route> admin_routes(Admin& admin);

}  // namespace statmill
