// The watchdog settings that the server and the agent share.
#pragma once

#include <vector>

#include "base/settings.h"
#include "base/watchdog_options.h"

namespace statmill {

// Returns --watchdog.lag and --watchdog.hang. They fill `options`, which must outlive them.
std::vector<Setting> watchdog_settings(WatchdogOptions& options);

}  // namespace statmill
