#include "server/agents/agent_metrics.h"

#include <chrono>

namespace statmill {

void register_agent_metrics(Registry& registry, const AgentRegistry& agents) {
  registry.gauge_fn("statmill.agents", "Agents known.", {},
                    [&agents] { return static_cast<double>(agents.count()); });
  registry.gauge_fn("statmill.agents_connected", "Agents connected.", {},
                    [&agents] { return static_cast<double>(agents.connected()); });
  registry.gauge_fn("statmill.agent_clock_difference_seconds",
                    "Largest difference of a connected agent's clock from the server's.", {}, [&agents] {
                      return std::chrono::duration<double>(agents.clock_difference_max()).count();
                    });
}

}  // namespace statmill
