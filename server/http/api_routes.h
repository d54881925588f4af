// The routes served over TCP (API.md).
#pragma once

#include <vector>

#include "server/http/http_services.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kLinesBodyBytesMax = size_t{8} << 20;

inline constexpr size_t kLiveBodyBytesMax = size_t{4} << 20;  // 1000 of the longest names

// What `services` refers to must outlive the routes.
std::vector<Route> api_routes(const HttpServices& services);

}  // namespace statmill
