// The `where` of events about a host.
#pragma once

#include <string>

#include "server/documents/event.h"

namespace statmill {

// Returns the glob that matches `host=NAME` and all names of series with that tag. Returns an empty text,
// which concerns everything, if the name is empty, is too long or has bytes that mean something in a glob.
inline std::string where_of_host(const std::string& host) {
  if (host.empty() || host.find_first_of("*?[]{},") != std::string::npos) return {};
  std::string where = "{host=" + host + ",*;host=" + host + "}{,;*}";
  return where.size() > kEventWhereBytesMax ? std::string() : where;
}

}  // namespace statmill
