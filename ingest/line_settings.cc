#include "ingest/line_settings.h"

#include <chrono>

#include "base/setting_values.h"

namespace statmill {
namespace {

constexpr Duration kYear = std::chrono::hours(24 * 365);

}  // namespace

std::vector<Setting> line_limit_settings(LineOptions& options) {
  return {
      {"line.connections", "N", "10000", "TCP senders at once, of all ports; more are closed",
       count_setting(options.connections_max, 1, 1'000'000)},
      {"line.idle_timeout", "TIME", "10m", "TCP senders silent for so long are closed; 0s: none",
       duration_setting(options.idle_timeout, Duration(0), kYear)},
      {"line.udp_buffer", "BYTES", "32M", "datagrams that the kernel may keep for a thread of each port",
       bytes_setting(options.udp_buffer_bytes, 4096)},
  };
}

std::vector<Setting> statsd_limit_settings(StatsdLimits& limits) {
  return {
      {"statsd.gauges", "N", "100000", "gauges whose last value is known, for steps (+1, -1)",
       count_setting(limits.gauges_max, 0, 1'000'000'000)},
      {"statsd.gauge_expiry", "TIME", "24h", "gauges silent for longer are unknown again; 0s: never",
       duration_setting(limits.gauge_expiry, Duration(0), kYear)},
      {"statsd.sets", "N", "10000", "sets counted at once; members of others are refused",
       count_setting(limits.sets_max, 0, 1'000'000'000)},
  };
}

}  // namespace statmill
