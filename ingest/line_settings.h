// The settings of line listeners that a server and an agent's relay share.
#pragma once

#include <vector>

#include "base/settings.h"
#include "ingest/line_options.h"
#include "ingest/statsd/state.h"

namespace statmill {

// Returns --line.connections, .idle_timeout and .udp_buffer. They set fields
// of `options`, which must outlive them.
std::vector<Setting> line_limit_settings(LineOptions& options);

// Returns --graphite.pickle and .pickle_bytes. They set fields of `options`, which must outlive them.
std::vector<Setting> pickle_settings(PickleOptions& options);

// Returns --statsd.socket and .stream_socket. They set fields of `paths`, which must outlive them.
std::vector<Setting> statsd_socket_settings(StatsdSockets& paths);

// Returns --statsd.gauges, .gauge_expiry, .events, .checks and .sets. They set fields of `limits`, which must
// outlive them.
std::vector<Setting> statsd_limit_settings(StatsdLimits& limits);

}  // namespace statmill
