// relay_settings: the part of the agent's settings that configures the relay.
#pragma once

#include <vector>

#include "agent/relay/relay_options.h"
#include "base/settings.h"

namespace statmill {

// Returns the settings that fill `options`, which must outlive them. Settings that a server has, too, mean
// the same.
std::vector<Setting> relay_settings(RelayOptions& options);

}  // namespace statmill
