// What /api/v1/status/agents says: who sends, how far each is, and what is lost.
#pragma once

#include <string>

#include "server/agents/agent_book.h"

namespace statmill {

inline constexpr size_t kAgentsShown = 1000;  // by host; "known" counts all

// {"known":1,"connected":1,"agents":[{"host":"web1","id":"00..","connected":true,"epoch":1,"taken":7,
// "durable":7,"lines":70,"seen":1700000000,"gaps":1,"lines_lost":20,"last_gaps":[{"first":3,"last":4,
// "lines":20,"reason":"spool_full","from":1700000000,"to":1700000002}]}]}. Times in seconds since 1970.
std::string agents_json(const AgentBook& book);

}  // namespace statmill
