// AgentLimits: how many agents are known, for how long, and how far their clocks may be off.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace statmill {

struct AgentLimits {
  size_t agents_max = 100'000;  // --agent.limit
  size_t new_per_minute = 60;   // --agent.new_per_minute: new agents from one address; 0: no limit
  // An agent not seen for longer is forgotten. As long as anything is kept.
  Duration kept = std::chrono::hours(24) * 365 * 6;
  // --agent.clock_limit: beyond this difference of the clocks nothing is taken.
  Duration clock_max = std::chrono::hours(25);
  // The same while the server's own clock is in doubt; at most clock_max.
  Duration clock_max_in_doubt = std::chrono::hours(1);
  // After the start nothing is forgotten for so long: the agents must have had the time to come back.
  Duration keeps_all_for = std::chrono::hours(1);
};

}  // namespace statmill
