// The routes of the admin socket that delete and rename series (server/http/API.md).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/admin/name_changes.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kNamesBodyBytesMax = size_t{8} << 20;
inline constexpr size_t kListedNamesMax = 10'000;  // names listed by a dry run, which counts all

// Called with a title and a text after a change.
using NoteChange = std::function<void(std::string title, std::string text)>;

// `changes` and `clock` must outlive the routes.
std::vector<Route> name_routes(const NameChanges& changes, const Clock& clock, const NoteChange& note);

}  // namespace statmill
