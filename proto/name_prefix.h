// The first parts of a series' path, by which names are counted.
#pragma once

#include <cstddef>
#include <string_view>

namespace statmill {

// Of "host.web1.cpu;dc=a" with one part "host", with two "host.web1", with more "host.web1.cpu": dots part a
// path, and its tags are no part of it. Requires: parts > 0.
inline std::string_view name_prefix(std::string_view name, size_t parts) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ';' || (name[i] == '.' && --parts == 0)) return name.substr(0, i);
  }
  return name;
}

}  // namespace statmill
