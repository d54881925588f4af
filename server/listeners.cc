#include "server/listeners.h"

#include <utility>

#include "ingest/statsd/dialect.h"
#include "server/agents/registered_agents.h"

namespace statmill {
namespace {

template <class Listener>
Endpoint endpoint_of(const std::unique_ptr<Listener>& listener) {
  return listener ? listener->endpoint() : Endpoint{};
}

}  // namespace

Listeners::Listeners(const ServerConfig& config, const Services& services)
    : config_(config),
      services_(services),
      connections_(SessionLimit(config.line.connections_max, config.line.per_address_max),
                   config.line.unfinished_bytes_max) {
  services_.registry.gauge_fn("statmill.line_connections", "Open TCP connections of senders.", {},
                              [this] { return static_cast<double>(connections_.limit().count()); });
}

std::optional<Fault> Listeners::open() {
  if (auto fault = open_lines(lines_, config_.line.listen, istatd_dialect(config_.line_other_kind)))
    return fault;
  if (config_.graphite_listen) {
    if (auto fault = open_lines(graphite_, *config_.graphite_listen, graphite_dialect())) return fault;
  }
  if (config_.pickle.listen) {
    auto dialect = graphite_pickle_dialect(config_.pickle.bytes_max);
    if (auto fault = open_lines(pickle_, *config_.pickle.listen, std::move(dialect))) return fault;
  }
  if (config_.statsd_listen || config_.statsd_sockets.is_on()) {
    auto dialect = std::make_unique<StatsdDialect>(config_.statsd, services_.intake, services_.registry,
                                                   &services_.statsd_events);
    const Endpoint endpoint = config_.statsd_listen.value_or(Endpoint{});
    if (auto fault = open_lines(statsd_, endpoint, std::move(dialect))) return fault;
  }
  if (config_.influx_listen) {
    if (auto fault = open_lines(influx_, *config_.influx_listen, influx_dialect())) return fault;
  }
  return open_agents();
}

std::optional<Fault> Listeners::open_lines(std::unique_ptr<LineListener>& listener, const Endpoint& endpoint,
                                           std::unique_ptr<Dialect> dialect) {
  LineOptions options = config_.line;
  options.listen = endpoint;
  if (&listener != &lines_) options.socket_path.clear();
  if (&listener == &statsd_) {
    options.socket_path = config_.statsd_sockets.datagrams;
    options.stream_socket_path = config_.statsd_sockets.streams;
  }
  listener = std::make_unique<LineListener>(
      options, std::move(dialect),
      LineListener::Services{services_.intake, services_.registry, connections_, services_.clock,
                             services_.log, &services_.watchdog});
  if (Status s = listener->open(); !s) return listen_fault(s.error());
  return std::nullopt;
}

std::optional<Fault> Listeners::open_agents() {
  if (!config_.agent.listen) return std::nullopt;
  agents_ = std::make_unique<AgentListener>(
      config_.agent,
      AgentListener::Services{[this](boost::asio::io_context&) {
                                return make_agent_host(services_.agents, services_.table, services_.intake);
                              },
                              services_.registry, services_.clock, services_.log, &services_.watchdog});
  if (Status s = agents_->open(); !s) return listen_fault(s.error());
  return std::nullopt;
}

Status Listeners::reload(const ServerConfig& config) {
  Status out = Status::ok();
  for (const auto* listener : {&lines_, &graphite_, &pickle_, &statsd_, &influx_}) {
    if (!*listener) continue;
    if (Status s = (*listener)->reload(config.line); !s) out = s;
  }
  if (!agents_) return out;
  const Status agents = agents_->reload(config.agent);
  return agents ? out : agents;
}

void Listeners::stop() {
  if (agents_) agents_->stop();
  for (auto* listener : {&influx_, &statsd_, &pickle_, &graphite_, &lines_}) {
    if (*listener) (*listener)->stop();
  }
}

Listeners::Ports Listeners::ports() const {
  return {endpoint_of(lines_),  endpoint_of(graphite_), endpoint_of(pickle_),
          endpoint_of(statsd_), endpoint_of(influx_),   endpoint_of(agents_)};
}

}  // namespace statmill
