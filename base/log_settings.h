// The log settings that the server and the agent share.
#pragma once

#include <vector>

#include "base/log.h"
#include "base/settings.h"

namespace statmill {

// Returns --log.level and --log.format. They fill `options`, which must outlive them.
std::vector<Setting> log_settings(LogOptions& options);

}  // namespace statmill
