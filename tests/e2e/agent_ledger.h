// Compares what an agent's spool holds with what a server reports about that agent: two accounts of the same
// samples, which must agree exactly.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {

struct SpooledSeries {
  SeriesTotals totals;
  double magnitude = 0;   // the sum of the absolute values
  bool is_event = false;  // for events and counters the server counts slots, not samples
};

// Everything written to a spool since its creation.
struct Spooled {
  std::string fault;  // empty if the spool is whole and nothing was removed from it
  std::string agent;  // the agent's id
  uint64_t batches = 0;
  uint64_t lines = 0;
  std::map<std::string, SpooledSeries> series;
};
// Requires that no agent uses the spool.
Spooled read_spool(const std::string& path);

// What a server reports about an agent (/api/v1/status/agents).
struct AgentAccount {
  bool is_known = false;
  bool is_connected = false;
  double accepted = 0;  // batches
  double durable = 0;   // batches
  double lines = 0;
  double backlog_lines = 0;
  double lines_lost = 0;
  double gaps = 0;
};
AgentAccount account_of(const ServerProcess& server, const std::string& agent);
// Finds the agent by the name of its host.
AgentAccount account_of_host(const ServerProcess& server, const std::string& host);

// Returns one line for each series and each number of the account that differs between the server and the
// spool; empty if they agree. `host` is an AgentHost's name.
std::string difference(const ServerProcess& server, const Spooled& spooled, const std::string& host);

}  // namespace statmill
