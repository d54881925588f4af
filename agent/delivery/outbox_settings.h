// The settings of the outbox, among those of the agent.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/delivery/outbox_options.h"
#include "base/settings.h"

namespace statmill {

inline constexpr uint16_t kAgentPort = 8113;

// The settings that fill `options`, which must outlive them.
std::vector<Setting> outbox_settings(OutboxOptions& options);

}  // namespace statmill
