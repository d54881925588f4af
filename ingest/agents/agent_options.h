// AgentOptions: settings of the port that agents connect to.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/net/network_filter.h"
#include "base/net/tls_context.h"
#include "base/text.h"

namespace statmill {

// Threads for `wanted` of --agent.threads: all CPUs take part in the handshakes of a fleet that comes back at
// once.
inline size_t agent_threads(size_t wanted) {
  return wanted > 0 ? wanted : std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 16);
}

struct AgentOptions {
  std::optional<Endpoint> listen;                     // --agent.listen; nullopt: off
  size_t threads = 1;                                 // --agent.threads, of which 0 is one for each CPU
  size_t connections_max = 10'000;                    // --agent.connections: more are closed at once
  size_t per_address_max = 0;                         // --agent.per_address; 0: half of connections_max
  Duration idle_timeout = std::chrono::minutes(10);   // --agent.idle_timeout; 0: none
  Duration hello_timeout = std::chrono::seconds(10);  // from the accept until a valid hello; no setting
  // How often a connection looks again whether there is room for its next batch; no setting.
  Duration room_poll = std::chrono::milliseconds(20);
  std::string token_file;     // --agent.token_file; empty: no token is required
  TlsFiles tls;               // --agent.certificate, --agent.key
  NetworkLists networks;      // --agent.allow, --agent.deny
  bool allows_plain = false;  // --agent.plain: allow other hosts without TLS
};

}  // namespace statmill
