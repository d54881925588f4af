// outbox_settings: the part of the agent's settings that configures the outbox.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/delivery/outbox_options.h"
#include "base/settings.h"

namespace statmill {

inline constexpr uint16_t kAgentPort = 8113;

// Returns the settings that fill `options`, which must outlive them.
std::vector<Setting> outbox_settings(OutboxOptions& options);

}  // namespace statmill
