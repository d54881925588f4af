// The status of a collector that reads /sys.
#pragma once

#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/sys_reader.h"

namespace statmill {

// `limit` says what a limit left out; empty if none did. What a host does not have is no fault, what the
// agent may not read is one.
inline CollectorStatus sys_status(const SysReader& sys, bool has_series, std::string limit) {
  if (!sys.refused().empty()) {
    return has_series ? CollectorStatus::degraded(sys.refused())
                      : CollectorStatus::unavailable(sys.refused());
  }
  return limit.empty() ? CollectorStatus{} : CollectorStatus::degraded(std::move(limit));
}

}  // namespace statmill
