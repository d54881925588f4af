// Time zones of requests.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time_text.h"

namespace statmill::graphite {

// Returns UTC for UTC, GMT, Etc/UTC and Z, and a fixed offset for +02:00 or -0530. Errors: kInvalid; also for
// names of places, whose rules the server does not read.
Result<Zone> time_zone(std::string_view name);

}  // namespace statmill::graphite
