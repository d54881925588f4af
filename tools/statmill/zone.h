// Time zones of the system.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time_text.h"

namespace statmill {

// Returns the zone of the environment's TZ, or of /etc/localtime.
Zone system_zone();

// Returns a zone of the system's database by its name, such as "Europe/Berlin". It sets TZ for the whole
// process, so system_zone() is the same from then on. Error: kInvalid.
Result<Zone> named_zone(const std::string& name);

}  // namespace statmill
