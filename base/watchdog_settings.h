// The settings of the watchdog that server and agent have alike.
#pragma once

#include <vector>

#include "base/settings.h"
#include "base/watchdog_options.h"

namespace statmill {

// --watchdog.lag and .hang. They fill `options`, which must outlive them.
std::vector<Setting> watchdog_settings(WatchdogOptions& options);

}  // namespace statmill
