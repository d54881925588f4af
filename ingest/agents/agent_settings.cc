#include "ingest/agents/agent_settings.h"

#include <chrono>

#include "base/setting_values.h"

namespace statmill {

std::vector<Setting> agent_port_settings(AgentOptions& options) {
  using std::chrono::hours;
  using std::chrono::seconds;
  return {
      {"agent.connections", "N", "10000", "agents connected at once; further connections are closed",
       count_setting(options.connections_max, 1, 1'000'000)},
      {"agent.per_address", "N", "0", "the same, from one address; 0: half of --agent.connections",
       count_setting(options.per_address_max, 0, 1'000'000)},
      {"agent.idle_timeout", "TIME", "10m",
       "close connections of agents that are silent for this long; 0s: never",
       duration_setting(options.idle_timeout, seconds(0), hours(24 * 365))},
      {"agent.token_file", "FILE", "", "its first line is the token that every agent must send; empty: none",
       text_setting(options.token_file)},
      {"agent.certificate", "FILE", "", "TLS certificate chain, PEM; empty: no TLS",
       text_setting(options.tls.certificate)},
      {"agent.key", "FILE", "", "private key of that certificate, PEM", text_setting(options.tls.key)},
      {"agent.plain", "", "false", "allow agents on other hosts without TLS",
       flag_setting(options.allows_plain)}};
}

}  // namespace statmill
