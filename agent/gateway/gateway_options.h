// GatewayOptions: settings of an agent that takes the batches of other agents and passes them on.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "ingest/agents/agent_options.h"

namespace statmill {

struct GatewayOptions {
  AgentOptions port;                               // of which `listen` switches the gateway on
  size_t agents_max = 1000;                        // --agent.limit: agents with batches or a position here
  size_t spool_bytes = size_t{256} << 20;          // --agent.spool_bytes: of the batches of one agent
  size_t spool_total = size_t{4} << 30;            // --agent.spool_total: of those of all agents
  Duration forget_after = std::chrono::hours(24);  // since an agent was here, if all of its batches are sent
  Duration clock_difference_max = std::chrono::hours(25);  // an agent whose clock differs by more is refused

  bool is_on() const { return port.listen.has_value(); }
};

}  // namespace statmill
