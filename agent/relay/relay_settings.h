// The settings of the relay, among those of the agent.
#pragma once

#include <vector>

#include "agent/relay/relay_options.h"
#include "base/settings.h"

namespace statmill {

// The settings that fill `options`, which must outlive them. Those that a server has too mean the same.
std::vector<Setting> relay_settings(RelayOptions& options);

}  // namespace statmill
