// name_prefix() returns the first parts of a series' path, for reports that count series by prefix.
#pragma once

#include <cstddef>
#include <string_view>

namespace statmill {

// For "host.web1.cpu;dc=a" returns "host" with one part, "host.web1" with two, "host.web1.cpu" with more:
// dots separate the parts of a path, and tags do not belong to it. Requires: parts > 0.
inline std::string_view name_prefix(std::string_view name, size_t parts) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ';' || (name[i] == '.' && --parts == 0)) return name.substr(0, i);
  }
  return name;
}

}  // namespace statmill
