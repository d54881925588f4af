// Checks the JSON of a dashboard (server/http/API.md, "Dashboards") and finds what lists show of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {

inline constexpr size_t kDashboardBytesMax = size_t{256} << 10;
inline constexpr size_t kDashboardPanelsMax = 200;
inline constexpr size_t kDashboardFaultsMax = 20;

struct DashboardSummary {
  std::string title;
  std::string folder;
  size_t panels = 0;
};

struct DashboardFault {
  std::string at;  // a JSON pointer (RFC 6901); empty: the whole document
  std::string error;
  bool operator==(const DashboardFault&) const = default;
};

struct DashboardCheck {
  DashboardSummary summary;
  std::vector<DashboardFault> faults;  // the first kDashboardFaultsMax; empty: it is a dashboard
};

// Keys that it does not know are allowed.
DashboardCheck check_dashboard(std::string_view text);

// Ids are 1 to 64 of a-z, 0-9 and `-`.
bool is_dashboard_id(std::string_view id);

}  // namespace statmill
