// The route of the admin socket that forgets an agent (server/http/API.md).
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "server/agents/agent_registry.h"
#include "server/http/router.h"

namespace statmill {

// Forgets the agent durably and returns its last row.
using ForgetAgent = std::function<Result<AgentRow>(const AgentRegistry::ForgetRequest& request)>;

std::vector<Route> agent_routes(ForgetAgent forget);

}  // namespace statmill
