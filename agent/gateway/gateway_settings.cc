#include "agent/gateway/gateway_settings.h"

#include <algorithm>

#include "base/net/network_settings.h"
#include "base/setting_values.h"
#include "ingest/agents/agent_settings.h"

namespace statmill {
namespace {

constexpr uint64_t kSpoolBytesMin = uint64_t{4} << 20;
// For each agent: its directory, the lock in it, a segment that is written, one that is read, its connection.
constexpr size_t kDescriptorsOfAgent = 5;
constexpr size_t kAgentsMin = 4;

}  // namespace

std::vector<Setting> gateway_settings(GatewayOptions& options) {
  const std::vector<Setting> own = {
      {"agent.listen", "A:P", "",
       "gateway: address for other agents, whose batches are kept in --spool.path and passed on; empty: off",
       endpoint_setting(options.port.listen)},
      {"agent.limit", "N", "1000",
       "gateway: agents known at once; a new one replaces one that is away and has nothing left to send",
       count_setting(options.agents_max, 1, 100'000)},
      {"agent.spool_bytes", "SIZE", "256M",
       "gateway: bytes of batches of one agent, at least 4M; an agent waits if they are full of batches that "
       "a "
       "server lacks",
       bytes_setting(options.spool_bytes, kSpoolBytesMin, uint64_t{1} << 50)},
      {"agent.spool_total", "SIZE", "4G",
       "gateway: bytes of batches of all agents, at least 4M; above it all agents wait",
       bytes_setting(options.spool_total, kSpoolBytesMin, uint64_t{1} << 50)},
  };
  return joined({own, agent_port_settings(options.port),
                 network_settings("agent", "the port for agents", options.port.networks)});
}

size_t fit_gateway(size_t descriptors, const OutboxOptions& outbox, GatewayOptions& options, Log& log) {
  if (!options.is_on()) return descriptors;
  const size_t fit =
      std::max(kAgentsMin, descriptors / 2 / (kDescriptorsOfAgent + 2 * outbox.servers.size()));
  if (options.agents_max > fit) {
    log.warn("too few file descriptors for agent.limit", {{"descriptors", descriptors}, {"agents", fit}});
    options.agents_max = fit;
  }
  options.port.connections_max = std::min(options.port.connections_max, options.agents_max);
  return descriptors - descriptors / 2;
}

}  // namespace statmill
