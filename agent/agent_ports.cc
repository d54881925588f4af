#include "agent/agent_ports.h"

#include <string>
#include <utility>

namespace statmill {

AgentPorts::AgentPorts(const AgentConfig& config, const Services& services, RelaySink::BatchSink batch_sink,
                       MetricsEndpoint::Answers answers)
    : log_(services.log),
      http_listen_(config.http_listen),
      http_(services.io, services.registry, std::move(answers)) {
  if (config.once) return;
  if (config.relay.is_on()) {
    relay_.emplace(
        config.relay,
        Relay::Services{services.io, services.registry, services.clock, services.log, &services.watchdog},
        std::move(batch_sink));
  }
  if (config.gateway.is_on()) {
    gateway_.emplace(
        config.gateway, config.outbox,
        GatewayPort::Services{services.registry, services.clock, services.log, services.watchdog});
  }
}

Status AgentPorts::open() {
  if (relay_) {
    if (Status opened = relay_->open(); !opened) return opened;
  }
  if (http_listen_) {
    if (Status opened = http_.open(*http_listen_); !opened) return opened;
  }
  if (gateway_) {
    if (Status opened = gateway_->open(); !opened) return opened;
  }
  if (!relay_ && !gateway_ && !http_listen_) return Status::ok();
  const Endpoint http = http_listen_ ? http_.endpoint() : Endpoint{};
  const Endpoint agents = gateway_ ? gateway_->endpoint() : Endpoint{};
  const Relay::Ports ports = relay_ ? relay_->ports() : Relay::Ports{};
  log_.info("ready", {{"line", ports.line.text()},
                      {"graphite", ports.graphite.text()},
                      {"pickle", ports.pickle.text()},
                      {"statsd", ports.statsd.text()},
                      {"agent", agents.text()},
                      {"http", http.text()}});
  return Status::ok();
}

void AgentPorts::stop() {
  http_.stop();
  if (gateway_) gateway_->stop();
  if (relay_) relay_->stop();
}

}  // namespace statmill
