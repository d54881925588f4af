// Time zones of requests.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/time_text.h"

namespace statmill::graphite {

// Returns UTC for UTC, GMT, Etc/UTC and Z, a fixed offset for +02:00 or -0530, and a zone of the system for
// others, such as Europe/Berlin. Errors: kInvalid. Cost: of these a small file, which is read.
Result<Zone> time_zone(std::string_view name);

// The unix time at which the clocks of the zone show a time, which counts seconds as if it were in UTC. If a
// change of the offset skips or repeats that, one of the two that are meant.
inline int64_t unix_time(int64_t local_s, const Zone& zone) {
  const int64_t near_s = local_s - zone(local_s).east_s;
  return local_s - zone(near_s).east_s;
}

}  // namespace statmill::graphite
