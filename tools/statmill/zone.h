// The time zone of the system.
#pragma once

#include "base/time_text.h"

namespace statmill {

// Returns the zone of the environment's TZ, or of /etc/localtime.
Zone system_zone();

}  // namespace statmill
