// The settings of lines that a server and a relay have alike.
#pragma once

#include <vector>

#include "base/settings.h"
#include "ingest/line_options.h"
#include "ingest/statsd/state.h"

namespace statmill {

// --line.connections, .idle_timeout and .udp_buffer. They fill `options`, which must outlive them.
std::vector<Setting> line_limit_settings(LineOptions& options);

// --statsd.gauges, .gauge_expiry and .sets; likewise.
std::vector<Setting> statsd_limit_settings(StatsdLimits& limits);

}  // namespace statmill
