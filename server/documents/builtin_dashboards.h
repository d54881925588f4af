// The dashboards that are part of the program.
#pragma once

#include <span>
#include <string>

namespace statmill {

struct BuiltinDashboard {
  std::string id;
  std::string text;  // as check_dashboard() accepts it
};

// Returns them by id. Thread-safe.
std::span<const BuiltinDashboard> builtin_dashboards();

}  // namespace statmill
