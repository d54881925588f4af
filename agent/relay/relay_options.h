// RelayOptions: where a relay listens, and what it makes of what it hears.
#pragma once

#include <optional>

#include "agent/relay/relay_sink.h"
#include "ingest/line_options.h"
#include "ingest/statsd/state.h"

namespace statmill {

struct RelayOptions {
  LineOptions line{.listen = {}};  // but for `listen` of all ports; no host: no port of istatd's lines
  std::optional<Endpoint> graphite_listen;  // none: off
  std::optional<Endpoint> statsd_listen;    // likewise
  StatsdLimits statsd;
  RelaySinkOptions sink;

  bool listens_for_lines() const { return !line.listen.host.empty() || !line.socket_path.empty(); }
  bool is_on() const { return listens_for_lines() || graphite_listen || statsd_listen; }
};

}  // namespace statmill
