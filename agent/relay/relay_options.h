// RelayOptions: where a relay listens, and how it treats what it receives.
#pragma once

#include <optional>

#include "agent/relay/relay_sink.h"
#include "ingest/line_options.h"
#include "ingest/statsd/state.h"

namespace statmill {

struct RelayOptions {
  LineOptions line{
      .listen = {}};  // for all ports, except `listen`; an empty host: no port for istatd's lines
  std::optional<Endpoint> graphite_listen;  // nullopt: off
  PickleOptions pickle;
  std::optional<Endpoint> statsd_listen;  // nullopt: off
  StatsdSockets statsd_sockets;
  StatsdLimits statsd;
  RelaySinkOptions sink;

  bool listens_for_lines() const { return !line.listen.host.empty() || !line.socket_path.empty(); }
  bool is_on() const {
    return listens_for_lines() || graphite_listen || pickle.listen || statsd_listen || statsd_sockets.is_on();
  }
};

}  // namespace statmill
