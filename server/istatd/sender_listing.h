// The list of who sends: GET /?a=PATTERN, of which istatd's page makes a table.
#pragma once

#include <string>

#include "base/clock.h"
#include "ingest/connection_registry.h"
#include "server/agents/agent_registry.h"

namespace statmill::istatd {

inline constexpr size_t kSendersListedMax = 10'000;  // connections, and as many agents

// {"count":1,"agents":[{"hostname":"h","_peer":"ip:port","_online":true,"_connected":"2026-11-20T17:19:22Z",
// "_idle":4},...]}: TCP connections of the ports for lines with what they have said of themselves, then
// agents.
std::string senders_json(const ConnectionRegistry& connections, const AgentRegistry& agents, Timestamp now);

}  // namespace statmill::istatd
