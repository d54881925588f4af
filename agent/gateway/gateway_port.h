// GatewayPort: the port that other agents connect to, with its thread and the Gateway that runs there.
#pragma once

#include <optional>

#include "agent/delivery/outbox_options.h"
#include "agent/gateway/gateway.h"
#include "agent/gateway/gateway_options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/net/watchdog.h"
#include "base/result.h"
#include "base/text.h"
#include "ingest/agents/agent_listener.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to one thread, except for figures().
class GatewayPort {
 public:
  struct Services {  // all must outlive it
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog& watchdog;
  };
  // `outbox` has the servers that the batches are passed on to, and the directory of the spool, below which
  // they wait.
  GatewayPort(const GatewayOptions& options, const OutboxOptions& outbox, const Services& services);

  // Binds, connects to the servers for what an earlier process left, and starts the thread. Errors: kInvalid
  // (there is no spool on disk, or another setting), and those of AgentListener and Gateway.
  Status open();
  Endpoint endpoint() const { return listener_->endpoint(); }
  // Closes all connections and ends the thread.
  void stop();
  GatewayFigures figures() const;  // thread-safe; at most a second old

 private:
  Result<std::unique_ptr<AgentHost>> make_gateway(boost::asio::io_context& loop);

  const GatewayOptions options_;
  const OutboxOptions outbox_;
  const Services services_;
  mutable Mutex mutex_;
  GatewayFigures figures_ GUARDED_BY(mutex_);
  std::optional<AgentListener> listener_;  // last: its thread uses the others
};

// Reads the files that the options name. Errors: kInvalid.
Status check_gateway_options(const GatewayOptions& options, const OutboxOptions& outbox);

}  // namespace statmill
