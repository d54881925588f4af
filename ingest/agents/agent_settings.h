// The settings of a port for agents that a server and a gateway share.
#pragma once

#include <vector>

#include "base/settings.h"
#include "ingest/agents/agent_options.h"

namespace statmill {

// Returns --agent.connections, .per_address, .idle_timeout, .token_file, .certificate, .key and .plain. They
// set fields of `options`, which must outlive them.
std::vector<Setting> agent_port_settings(AgentOptions& options);

}  // namespace statmill
