#include "agent/relay/relay.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "ingest/statsd/dialect.h"

namespace statmill {

Relay::Relay(RelayOptions options, const Services& services, RelaySink::BatchSink batch_sink)
    : options_(std::move(options)),
      services_(services),
      batch_sink_(std::move(batch_sink)),
      sink_(options_.sink, services.registry, [this] { drain_soon(); }),
      intake_(sink_, services.registry),
      connections_(SessionLimit(options_.line.connections_max, options_.line.per_address_max),
                   options_.line.unfinished_bytes_max),
      timer_(
          services.io, [] { return RelaySink::kDrainInterval; }, [this] { drain(); }) {
  services_.registry.gauge_fn("statmill.line_connections", "Open TCP connections of senders.", {},
                              [this] { return static_cast<double>(connections_.limit().count()); });
}

Status Relay::open() {
  LineOptions others = options_.line;  // for the ports without a unix socket
  others.socket_path.clear();
  if (options_.listens_for_lines()) {
    if (Status s = open(istatd_dialect(), options_.line, ports_.line); !s) return s;
  }
  if (options_.graphite_listen) {
    others.listen = *options_.graphite_listen;
    if (Status s = open(graphite_dialect(), others, ports_.graphite); !s) return s;
  }
  if (options_.pickle.listen) {
    others.listen = *options_.pickle.listen;
    if (Status s = open(graphite_pickle_dialect(options_.pickle.bytes_max), others, ports_.pickle); !s)
      return s;
  }
  if (options_.statsd_listen || options_.statsd_sockets.is_on()) {
    others.listen = options_.statsd_listen.value_or(Endpoint{});
    others.socket_path = options_.statsd_sockets.datagrams;
    others.stream_socket_path = options_.statsd_sockets.streams;
    auto dialect = std::make_unique<StatsdDialect>(options_.statsd, intake_, services_.registry);
    if (Status s = open(std::move(dialect), others, ports_.statsd); !s) return s;
  }
  timer_.start();
  return Status::ok();
}

Status Relay::open(std::unique_ptr<Dialect> dialect, const LineOptions& options, Endpoint& port) {
  listeners_.push_back(std::make_unique<LineListener>(
      options, std::move(dialect),
      LineListener::Services{intake_, services_.registry, connections_, services_.clock, services_.log,
                             services_.watchdog}));
  Status opened = listeners_.back()->open();
  if (opened) port = listeners_.back()->endpoint();
  return opened;
}

void Relay::drain() {
  const Running running("relay samples");
  sink_.drain(RelaySink::Which::kDue, services_.clock.steady(), batch_sink_);
}

// Called on any thread.
void Relay::drain_soon() {
  boost::asio::post(services_.io, [this] { drain(); });
}

void Relay::stop() {
  timer_.stop();
  for (const auto& listener : listeners_) listener->stop();
  sink_.drain(RelaySink::Which::kAll, services_.clock.steady(), batch_sink_);
}

uint64_t Relay::count(std::string_view path) const {
  uint64_t sum = 0;
  for (const Reading& reading : services_.registry.read()) {
    if (reading.path() == path) sum += reading.count;
  }
  return sum;
}

}  // namespace statmill
