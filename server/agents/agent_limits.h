// AgentLimits: how many agents the server knows, for how long, and how far their clocks may differ.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace statmill {

struct AgentLimits {
  size_t agents_max = 100'000;  // --agent.limit
  size_t new_per_minute = 60;   // --agent.new_per_minute: new agents from one address; 0: no limit
  // An agent not seen for longer is forgotten. The server sets this to its longest retention.
  Duration expiry = std::chrono::hours(24) * 365 * 6;
  // --agent.clock_limit: an agent whose clock differs from the server's by more is refused.
  Duration clock_difference_max = std::chrono::hours(25);
  // The same limit while the server's own clock is suspect; clock_difference_max applies if it is smaller.
  Duration clock_difference_max_suspect = std::chrono::hours(1);
  // No agent is forgotten for this long after the start, so that all have time to reconnect.
  Duration startup_grace = std::chrono::hours(1);
};

}  // namespace statmill
