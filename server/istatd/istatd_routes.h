// The routes of istatd's HTTP interface, so that its page and its clients work unchanged (docs/istatd.md).
// Its settings have routes of their own (server/documents/setting_routes.h).
#pragma once

#include <vector>

#include "ingest/connection_registry.h"
#include "server/agents/agent_registry.h"
#include "server/http/router.h"
#include "server/istatd/counter_reader.h"

namespace statmill::istatd {

// All must outlive the routes.
struct IstatdServices {
  CounterSources counters;
  const ConnectionRegistry& connections;
  const AgentRegistry& agents;
};

// Those with a parameter in place of a path, and those below /istatd/.
std::vector<Route> istatd_routes(const IstatdServices& services);
// Those of names at the root, which match all paths of one segment: they come last.
std::vector<Route> bare_counter_routes(const CounterSources& counters);

}  // namespace statmill::istatd
