// The JSON of /api/v1/status/agents: all agents, their progress and their losses (server/http/API.md).
#pragma once

#include <string>

#include "server/agents/agent_registry.h"
#include "server/report/reports.h"

namespace statmill {

inline constexpr size_t kAgentsShown = 1000;  // the first by host; "known" counts all

inline constexpr size_t kHostConflictsShown = 64;
inline constexpr size_t kPartiesShown = 8;

// Returns
// {"known":1,"connected":1,"host_conflicts":[],"outdated":[],"agents":[{"host":"web1","id":"674ddfbe",...}],
// "truncated":false}. Only the list of agents is filtered. Ids are shortened to their first digits; times are
// unix seconds; values known only while an agent is connected are null otherwise.
std::string agents_json(const AgentRegistry& agents, Timestamp now, const Reports::AgentFilter& filter = {});

}  // namespace statmill
