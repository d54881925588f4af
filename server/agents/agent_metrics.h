// Registers the gauges of the agents. AgentRegistry registers its counters itself.
#pragma once

#include "server/agents/agent_registry.h"
#include "statmill/registry.h"

namespace statmill {

// The agents must outlive all readings of the registry.
void register_agent_metrics(Registry& registry, const AgentRegistry& agents);

}  // namespace statmill
