#include "server/config.h"

#include "base/setting_values.h"
#include "base/watchdog_settings.h"
#include "ingest/line_settings.h"

namespace statmill {

std::vector<Setting> server_settings(ServerConfig& c) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  const auto take_path = [&c](const std::string& text) -> Status {
    if (text.empty()) return Error{ErrorCode::kInvalid, "is empty"};
    c.store.path = text;
    return Status::ok();
  };
  // After --retention; when that is at fault it says so, and no rule is blamed for it.
  const auto take_rule = [&c](const std::string& text) -> Status {
    return c.retention.tiers().count() == 0 ? Status::ok() : c.retention.add_rule(text);
  };
  const std::vector<Setting> store_and_line = {
      {"store.path", "DIR", "/var/lib/statmill", "data directory, made when absent", take_path},
      {"salvage", "", "false",
       "start from a damaged log or journal; what is lost is told. Back up DIR before",
       flag_setting(c.store.salvage)},
      {"store.cache", "BYTES", "64M", "block cache of the store",
       bytes_setting(c.store.block_cache_bytes, 1 << 20)},
      {"store.reserve", "BYTES", "64M", "of the disk, kept for a start when it is full; 0: none",
       bytes_setting(c.store.reserve_bytes, 0)},
      {"store.write_buffer", "BYTES", "64M", "write buffer of each tier of the store",
       bytes_setting(c.store.write_buffer_bytes, 1 << 20)},
      {"retention", "TIERS", "10s:10d,5m:1y,1h:6y", "tiers as step:kept, finest first",
       parsed_setting(Tiers::parse, [&c](const Tiers& t) { c.retention = Retention(t); })},
      {"retention.rule", "RULE", "",
       "\"GLOB TIERS\": names that match are kept for other times; repeated, the first that matches counts",
       take_rule, true},
      {"line.listen", "A:P", "127.0.0.1:8111", "line protocol, UDP and TCP", endpoint_setting(c.line.listen)},
      {"line.threads", "N", "1", "ingest threads of each listener", count_setting(c.line.threads, 1, 64)}};
  const std::vector<Setting> dialects = {
      {"line.socket", "PATH", "",
       "unix socket for datagrams of lines, open to this host's users. When empty, off",
       text_setting(c.line.socket_path)},
      {"graphite.listen", "A:P", "", "Graphite's plaintext, UDP and TCP; its port is 2003. When empty, off",
       endpoint_setting(c.graphite_listen)},
      {"statsd.listen", "A:P", "", "statsd and DogStatsD, UDP and TCP; its port is 8125. When empty, off",
       endpoint_setting(c.statsd_listen)}};
  const std::vector<Setting> rest = {
      {"http.listen", "A:P", "127.0.0.1:8112", "HTTP: API, health, metrics", endpoint_setting(c.http_listen)},
      {"http.threads", "N", "2", "threads that answer queries", count_setting(c.http_threads, 1, 64)},
      {"http.connections", "N", "512", "HTTP connections at once",
       count_setting(c.http.connections_max, 1, 1'000'000)},
      {"admin.socket", "PATH", "",
       "unix socket for administration, open to this user alone; when empty, admin.sock in the data "
       "directory",
       text_setting(c.admin_socket)},
      {"agent.listen", "A:P", "127.0.0.1:8113", "acknowledged stream of agents, TCP. When empty, off",
       endpoint_setting(c.agent.listen)},
      {"agent.threads", "N", "1", "threads that take what agents send",
       count_setting(c.agent.threads, 1, 64)},
      {"agent.connections", "N", "10000", "agents connected at once; more are closed",
       count_setting(c.agent.connections_max, 1, 1'000'000)},
      {"agent.limit", "N", "100000", "agents known; for a new one that not seen for longest is forgotten",
       count_setting(c.agent_limits.agents_max, 1, 100'000'000)},
      {"agent.new_per_minute", "N", "60",
       "new agents from one address in a minute; others are refused for a while; 0: no limit",
       count_setting(c.agent_limits.new_per_minute, 0, 1'000'000'000)},
      {"agent.clock_limit", "TIME", "25h", "agents whose clocks are further from the server's have to wait",
       duration_setting(c.agent_limits.clock_difference_max, seconds(60), hours(24 * 365))},
      {"agent.idle_timeout", "TIME", "10m", "agents silent for so long are closed; 0s: none",
       duration_setting(c.agent.idle_timeout, seconds(0), hours(24 * 365))},
      {"agent.token_file", "FILE", "", "its first line is what every agent must know; when empty, nothing",
       text_setting(c.agent.token_file)},
      {"agent.certificate", "FILE", "", "certificate chain to show to agents, PEM; when empty, no TLS",
       text_setting(c.agent.certificate_file)},
      {"agent.key", "FILE", "", "the key of that certificate, PEM", text_setting(c.agent.key_file)},
      {"agent.plain", "", "false", "without TLS beyond the loopback, too",
       flag_setting(c.agent.allows_plain)},
      {"tick", "TIME", "250ms", "how often samples become durable",
       duration_setting(c.tick_interval, milliseconds(10), seconds(60))},
      {"flush.interval", "TIME", "10m", "how long a series gathers buckets before they are flushed to chunks",
       duration_setting(c.tick.flush_interval, milliseconds(100), hours(24))},
      {"pending.bytes", "BYTES", "256M", "RAM for buckets not yet flushed; at twice this samples are refused",
       bytes_setting(c.limits.pending_bytes, 1 << 20)},
      {"limits.series", "N", "2000000", "series; new names beyond are refused",
       count_setting(c.limits.series_max, 1, 1'000'000'000)},
      {"limits.series_per_sender", "N", "0",
       "series that the lines of one address may make; new names beyond are refused; 0: no limit",
       count_setting(c.limits.sender_series_max, 0, 1'000'000'000)},
      {"limits.future", "TIME", "10m", "samples further ahead are refused",
       duration_setting(c.limits.future_max, seconds(0), hours(24 * 365))},
      {"watchdog.patience", "TIME", "5m",
       "under systemd: a server whose tick hangs for longer is ended, and started again",
       duration_setting(c.watchdog.task_patience, seconds(1), hours(24 * 365))},
      {"log.level", "LEVEL", "info", "error, warn, info or debug",
       parsed_setting(parse_log_level, [&c](LogLevel l) { c.log_level = l; })},
  };
  return joined({store_and_line, line_limit_settings(c.line), dialects, statsd_limit_settings(c.statsd),
                 watchdog_settings(c.watchdog), rest});
}

}  // namespace statmill
