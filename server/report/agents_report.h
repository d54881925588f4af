// What /api/v1/status/agents says: who sends, how far each is, and what is lost (server/http/API.md).
#pragma once

#include <string>

#include "server/agents/agent_registry.h"

namespace statmill {

inline constexpr size_t kAgentsShown = 1000;  // by host; "known" counts all

// {"known":1,"connected":1,"agents":[{"host":"web1","id":"674ddfbe",...}]}. Ids by their first digits; times
// in seconds since 1970; what only a connection tells is null without one.
std::string agents_json(const AgentRegistry& registry, Timestamp now);

}  // namespace statmill
