#include "ingest/line_settings.h"

#include <chrono>

#include "base/setting_values.h"

namespace statmill {
namespace {

constexpr Duration kYear = std::chrono::hours(24 * 365);

}  // namespace

std::vector<Setting> line_limit_settings(LineOptions& options) {
  return {
      {"line.connections", "N", "10000", "TCP connections of all line ports; further ones are closed",
       count_setting(options.connections_max, 1, 1'000'000)},
      {"line.per_address", "N", "0", "the same, from one address; 0: half of --line.connections",
       count_setting(options.per_address_max, 0, 1'000'000)},
      {"line.idle_timeout", "TIME", "10m", "close TCP connections silent for this long; 0s: never",
       duration_setting(options.idle_timeout, Duration(0), kYear)},
      {"line.unfinished", "BYTES", "64M",
       "RAM for unfinished lines of TCP connections, of which each has 2 KiB of its own; longer lines are "
       "refused",
       bytes_setting(options.unfinished_bytes_max, 0)},
      {"line.udp_buffer", "BYTES", "32M", "the kernel's receive buffer per port and thread",
       bytes_setting(options.udp_buffer_bytes, 4096)},
  };
}

std::vector<Setting> pickle_settings(PickleOptions& options) {
  return {
      {"graphite.pickle", "A:P", "",
       "Graphite's pickles, as carbon-relay sends them, TCP, usually port 2004; empty: off",
       endpoint_setting(options.listen)},
      {"graphite.pickle_bytes", "BYTES", "1M",
       "bytes of one pickle; the sender of a longer one is disconnected",
       bytes_setting(options.bytes_max, 1024)},
  };
}

std::vector<Setting> statsd_socket_settings(StatsdSockets& paths) {
  return {
      {"statsd.socket", "PATH", "",
       "unix datagram socket for statsd and DogStatsD, open to all users of this host; empty: off",
       text_setting(paths.datagrams)},
      {"statsd.stream_socket", "PATH", "",
       "unix stream socket for DogStatsD, each payload with its length in front, open to all users; empty: "
       "off",
       text_setting(paths.streams)},
  };
}

std::vector<Setting> statsd_limit_settings(StatsdLimits& limits) {
  return {
      {"statsd.gauges", "N", "100000", "gauges whose last value is remembered, for steps (+1, -1)",
       count_setting(limits.gauges_max, 0, 1'000'000'000)},
      {"statsd.gauge_expiry", "TIME", "24h", "forget gauges silent for longer; 0s: never",
       duration_setting(limits.gauge_expiry, Duration(0), kYear)},
      {"statsd.events", "N", "10",
       "events and changes of service checks in a second; further ones are refused",
       count_setting(limits.events_per_second_max, 0, 1'000'000)},
      {"statsd.checks", "N", "10000",
       "service checks whose last status is remembered, for events of its changes",
       count_setting(limits.checks_max, 0, 1'000'000'000)},
      {"statsd.sets", "N", "10000", "sets open at once; members of others are refused",
       count_setting(limits.sets_max, 0, 1'000'000'000)},
  };
}

}  // namespace statmill
