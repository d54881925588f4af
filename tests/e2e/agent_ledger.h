// What an agent's spool holds and what a server says of the agent: two accounts of the same samples, which
// must agree to the unit.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {

struct SpooledSeries {
  SeriesTotals totals;
  double magnitude = 0;   // the sizes of all values, added up
  bool is_event = false;  // the server counts slots then, not samples
};

// All that a spool took since it was made.
struct Spooled {
  std::string fault;  // empty: it is whole, and nothing was removed from it
  std::string agent;  // its id
  uint64_t batches = 0;
  uint64_t lines = 0;
  std::map<std::string, SpooledSeries> series;
};
// Requires: no agent runs on it.
Spooled read_spool(const std::string& path);

// What a server says of an agent.
struct AgentAccount {
  bool is_known = false;
  bool is_connected = false;
  double taken = 0;  // batches
  double durable = 0;
  double lines = 0;
  double lines_lost = 0;
  double gaps = 0;
};
AgentAccount account_of(const ServerProcess& server, const std::string& agent);
// By the name of its host.
AgentAccount account_of_host(const ServerProcess& server, const std::string& host);

// Where the server and the spool differ, series by series and in the account; empty: nowhere. `host`: an
// AgentHost's name.
std::string difference(const ServerProcess& server, const Spooled& spooled, const std::string& host);

}  // namespace statmill
