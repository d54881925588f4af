// The routes that delete and rename series: at the admin socket, and over TCP for the role admin
// (server/http/API.md).
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

// A change that was made.
struct ChangeNote {
  std::string title;  // what changed, as "2 series deleted"
  std::string text;   // which series
  std::string by;     // whose request it was
};
using NoteChange = std::function<void(ChangeNote note)>;

// `changes` and `clock` must outlive the routes.
std::vector<Route> name_routes(const NameChanges& changes, const Clock& clock, const NoteChange& note);

}  // namespace statmill
