// AgentPorts: everything that the agent listens on: the ports of its relay and of its gateway, and /metrics.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>

#include "agent/config.h"
#include "agent/gateway/gateway_port.h"
#include "agent/metrics_endpoint.h"
#include "agent/relay/relay.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/net/watchdog.h"
#include "base/result.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the thread that runs the io_context.
class AgentPorts {
 public:
  struct Services {  // all must outlive the ports
    boost::asio::io_context& io;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog& watchdog;
  };
  // `batch_sink` gets the lines of the relay. `answers` are those of the HTTP port.
  AgentPorts(const AgentConfig& config, const Services& services, RelaySink::BatchSink batch_sink,
             MetricsEndpoint::Answers answers);

  // Opens the ports and logs their addresses, as a server does. Errors: those of LineListener, GatewayPort
  // and MetricsEndpoint.
  Status open();
  // Closes the ports and hands over everything that the relay has. Call at most once.
  void stop();
  // Returns nullptr if the relay is off.
  const Relay* relay() const { return relay_ ? &*relay_ : nullptr; }
  // Returns nullptr if the gateway is off.
  const GatewayPort* gateway() const { return gateway_ ? &*gateway_ : nullptr; }

 private:
  Log& log_;
  const std::optional<Endpoint> http_listen_;
  std::optional<Relay> relay_;
  std::optional<GatewayPort> gateway_;
  MetricsEndpoint http_;
};

}  // namespace statmill
