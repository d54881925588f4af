// What people of the demo have left on the server: events, and dashboards of several versions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace statmill {

// One request to the HTTP port.
struct DemoRequest {
  std::string method;
  std::string target;
  std::string fields = {};  // further fields of the header, each ended by CR LF
  std::string body;         // JSON
};

// Six deploys, and an incident that has ended. `start_s`: the start of the demo, in unix seconds.
std::vector<DemoRequest> demo_events(int64_t start_s);
// Two dashboards, in the order of their versions.
std::vector<DemoRequest> demo_dashboards();

// A series that is renamed while the demo runs, and its new name.
inline constexpr const char* kRenamedFrom = "shop.heat;app=office";
inline constexpr const char* kRenamedTo = "shop.temperature_celsius;app=office";

}  // namespace statmill
