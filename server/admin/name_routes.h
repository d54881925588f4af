// The routes of the admin socket that delete and rename series (server/http/API.md).
#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.h"
#include "server/admin/name_changes.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kNamesBodyBytesMax = size_t{8} << 20;
inline constexpr size_t kListedNamesMax = 10'000;  // names listed by a dry run, which counts all

// Both must outlive the routes.
std::vector<Route> name_routes(const NameChanges& changes, const Clock& clock);

}  // namespace statmill
