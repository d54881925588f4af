#include "server/config.h"

#include <tuple>
#include <utility>

#include "base/log_settings.h"
#include "base/net/network_settings.h"
#include "base/setting_values.h"
#include "base/time_text.h"
#include "base/watchdog_settings.h"
#include "ingest/agents/agent_settings.h"
#include "ingest/line_settings.h"
#include "ingest/scrape/scrape_settings.h"
#include "proto/name_escapes.h"
#include "proto/tagged_name.h"
#include "server/prometheus/replica_choice.h"
#include "server/rules/rule_settings.h"

namespace statmill {
namespace {

std::vector<Setting> store_and_line_settings(ServerConfig& c) {
  const auto set_path = [&c](const std::string& text) -> Status {
    if (text.empty()) return Error{ErrorCode::kInvalid, "is empty"};
    c.store.path = text;
    return Status::ok();
  };
  // Applied after --retention. If that is invalid, its own error is enough: the rules report none.
  const auto add_rule = [&c](const std::string& text) -> Status {
    return c.retention.tiers().count() == 0 ? Status::ok() : c.retention.add_rule(text);
  };
  // The last rule, so that any other rule for hosts comes first.
  const auto keep_seconds = [&c](const std::string& text) -> Status {
    const Result<Duration> kept = parse_duration(text);
    if (!kept) return kept.error();
    const Tiers& tiers = c.retention.tiers();
    if (kept->count() == 0 || tiers.count() == 0 || !tiers.has_detail()) return Status::ok();
    const Duration finest = std::chrono::seconds(tiers.finest().retention_s);
    return c.retention.add_rule("host.* 1s:" + format_duration(std::min(*kept, finest)));
  };
  return {
      {"store.path", "DIR", "/var/lib/statmill", "data directory; created if it does not exist", set_path},
      {"salvage", "", "false",
       "start although log or journal are damaged, and log what is lost; back up DIR first",
       flag_setting(c.store.salvage)},
      {"store.cache", "BYTES", "64M", "block cache of the store",
       bytes_setting(c.store.block_cache_bytes, 1 << 20)},
      {"store.reserve", "BYTES", "64M",
       "disk space reserved so that the server can start when the disk is full; 0: none",
       bytes_setting(c.store.reserve_bytes, 0)},
      {"store.device_tbw", "TB", "0",
       "TB (of 10^12 bytes) that may be written to a new disk of this kind, as its data sheet says; 0: "
       "unknown",
       count_setting(c.device_tbw, 0, 1'000'000)},
      {"store.write_buffer", "BYTES", "64M", "write buffer of each tier of the store",
       bytes_setting(c.store.write_buffer_bytes, 1 << 20)},
      {"retention", "TIERS", "10s:10d,5m:1y,1h:6y", "tiers as step:retention, finest first",
       parsed_setting(Tiers::parse, [&c](const Tiers& t) { c.retention = Retention(t); })},
      {"retention.rule", "RULE", "",
       "\"GLOB TIERS\": tiers of the series whose names match; may be repeated, the first match applies",
       add_rule, true},
      {"retention.host_seconds", "TIME", "6h",
       "how long series of hosts are kept by the second, too, unless a rule matches them; 0: not",
       keep_seconds},
      {"line.listen", "A:P", "127.0.0.1:8111", "line protocol, UDP and TCP", endpoint_setting(c.line.listen)},
      {"line.threads", "N", "1", "ingest threads of each listener", count_setting(c.line.threads, 1, 64)}};
}

Result<OtherKind> parse_other_kind(std::string_view text) {
  if (text == "accept") return OtherKind::kAccept;
  if (text == "refuse") return OtherKind::kRefuse;
  return Error{ErrorCode::kInvalid, "\"" + std::string(text) + "\" is not accept or refuse"};
}

std::vector<Setting> dialect_settings(ServerConfig& c) {
  return {{"line.socket", "PATH", "",
           "unix datagram socket for lines, open to all users of this host; empty: off",
           text_setting(c.line.socket_path)},
          {"line.certificate", "FILE", "",
           "TLS certificate chain, PEM, for all TCP ports that get lines; empty: no TLS",
           text_setting(c.line.tls.certificate)},
          {"line.key", "FILE", "", "private key of that certificate, PEM", text_setting(c.line.tls.key)},
          {"line.kind_mismatch", "WHAT", "accept",
           "lines of another kind than their series: accept (as its kind) or refuse",
           parsed_setting(parse_other_kind, [&c](OtherKind what) { c.line_other_kind = what; })},
          {"graphite.listen", "A:P", "",
           "Graphite plaintext protocol, UDP and TCP, usually port 2003; empty: off",
           endpoint_setting(c.graphite_listen)},
          {"statsd.listen", "A:P", "", "statsd and DogStatsD, UDP and TCP, usually port 8125; empty: off",
           endpoint_setting(c.statsd_listen)}};
}

Result<HttpCompression> parse_compression(std::string_view text) {
  if (text == "auto") return HttpCompression::kAuto;
  if (text == "always") return HttpCompression::kAlways;
  if (text == "off") return HttpCompression::kOff;
  return Error{ErrorCode::kInvalid, "\"" + std::string(text) + "\" is not auto, always or off"};
}

std::vector<Setting> influx_settings(ServerConfig& c) {
  const auto set_tag = [&c](const std::string& text) -> Status {
    if (!is_text(text)) return Error{ErrorCode::kInvalid, "is no key of a tag"};
    c.influx_db_tag = escaped_key(text);
    return Status::ok();
  };
  return {
      {"influx.listen", "A:P", "",
       "InfluxDB line protocol, UDP and TCP, usually port 8089; empty: off. The HTTP port always accepts it",
       endpoint_setting(c.influx_listen)},
      {"influx.db_tag", "KEY", "",
       "tag for the database or bucket that a client of InfluxDB names when it writes; empty: none",
       set_tag}};
}

std::vector<Setting> http_settings(ServerConfig& c) {
  return {
      {"http.listen", "A:P", "127.0.0.1:8112", "HTTP: API, health, metrics", endpoint_setting(c.http_listen)},
      {"http.hosts", "NAME", "",
       "host name under which clients reach the server; may be repeated. Requests for other names are "
       "refused, "
       "except localhost and addresses",
       [&c](const std::string& name) { return c.http_hosts.add(name); }, true},
      {"http.cors_origin", "ORIGIN", "",
       "origin of foreign pages that may read answers, such as https://dash.example.org; may be repeated",
       [&c](const std::string& origin) { return c.http.cors_origins.add(origin); }, true},
      {"http.certificate", "FILE", "", "TLS certificate chain, PEM; empty: no TLS",
       text_setting(c.http_tls.certificate)},
      {"http.key", "FILE", "", "private key of that certificate, PEM", text_setting(c.http_tls.key)},
      {"http.plain", "", "false", "allow clients on other hosts without TLS", flag_setting(c.http_plain)},
      {"http.tokens", "FILE", "",
       "tokens with roles, for all that the HTTP port serves but health; empty: none",
       text_setting(c.http_tokens)},
      {"http.assets", "DIR", "", "serve the page from this folder, uncached; empty: the page of this binary",
       text_setting(c.http_assets)},
      {"http.threads", "N", "2", "threads for POST lines and for lists, which need no disk",
       count_setting(c.http_threads, 1, 64)},
      {"http.compress", "WHEN", "auto",
       "compress answers for clients that accept it: auto (not for clients on this host), always or off",
       parsed_setting(parse_compression, [&c](HttpCompression when) { c.http.compression = when; })},
      {"http.access_log", "", "false", "a line in the log for each request", flag_setting(c.http.access_log)},
      {"http.connections", "N", "512", "HTTP connections at once",
       count_setting(c.http.connections_max, 1, 1'000'000)},
      {"http.per_address", "N", "0", "the same, from one address; 0: half of --http.connections",
       count_setting(c.http.per_address_max, 0, 1'000'000)},
      {"http.live", "N", "64", "live streams at once, one for each window that shows the page",
       count_setting(c.live_streams, 0, 100'000)},
      {"dashboards.dir", "DIR", "",
       "serve the dashboards ID.json of this folder, read-only; read again when they change; empty: none",
       text_setting(c.documents.dashboards_dir)},
      {"dashboards.bytes", "BYTES", "64M", "RAM for saved dashboards with their last versions",
       bytes_setting(c.documents.dashboards.bytes_max, 1 << 20)},
      {"admin.socket", "PATH", "",
       "unix socket for administration, open only to the server's user; empty: admin.sock in the data "
       "directory",
       text_setting(c.admin_socket)}};
}

std::vector<Setting> query_settings(QueryOptions& q) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  constexpr int64_t kMany = 1'000'000'000'000;
  return {
      {"query.timeout", "TIME", "10s", "longest time for a query; a request may ask for less",
       duration_setting(q.limits.timeout, milliseconds(1), hours(24))},
      {"query.threads", "N", "0",
       "threads for small queries, and as many for heavy ones; 0: half of the CPUs, at least 1",
       count_setting(q.pool.threads, 0, 256)},
      {"query.waiting", "N", "64", "small queries, and heavy ones, that wait for a thread",
       count_setting(q.pool.waiting_max, 0, 100'000)},
      {"query.waiting_time", "TIME", "10s", "how long a query waits for a thread",
       duration_setting(q.pool.waiting_timeout, milliseconds(1), hours(24))},
      {"query.heavy", "N", "100000", "a query that reads more stored slots is a heavy one",
       count_setting(q.limits.heavy_slots, 0, kMany)},
      {"query.selected", "N", "200000", "series that one query may read",
       count_setting(q.limits.selected_max, 1, kMany)},
      {"query.series", "N", "10000", "series in one answer", count_setting(q.limits.series_max, 1, kMany)},
      {"query.slots", "N", "200000000", "stored slots that one query may read",
       count_setting(q.limits.slots_max, 1, kMany)},
      {"query.points", "N", "1000000", "points in one answer, of all series together",
       count_setting(q.limits.points_max, 1, kMany)},
      {"query.evaluations", "N", "10000000", "evaluations of the subqueries of one query",
       count_setting(q.limits.evaluations_max, 1, kMany)},
      {"query.memory", "BYTES", "64M", "memory that one query may hold",
       bytes_setting(q.limits.memory_bytes_max, 1 << 20)},
      {"query.memory_total", "BYTES", "256M", "memory that all queries together may hold",
       bytes_setting(q.limits.memory_total_bytes_max, 1 << 20)},
      {"query.cache", "BYTES", "128M", "memory for the columns of chunks that queries read again; 0: none",
       bytes_setting(q.cache_bytes, 0)},
      {"query.slow", "TIME", "1s", "queries that take longer are logged",
       duration_setting(q.slow, milliseconds(0), hours(24))},
      {"query.slowest", "N", "100", "slow queries of the last day that /api/v1/status/queries lists",
       count_setting(q.slowest_max, 0, 10'000)}};
}

std::vector<Setting> agent_settings(ServerConfig& c) {
  using std::chrono::hours;
  using std::chrono::seconds;
  const std::vector<Setting> own = {
      {"agent.listen", "A:P", "127.0.0.1:8113", "acknowledged stream of agents, TCP; empty: off",
       endpoint_setting(c.agent.listen)},
      {"agent.threads", "N", "0", "threads that receive from agents; 0: one for each CPU, at most 16",
       count_setting(c.agent.threads, 0, 64)},
      {"agent.limit", "N", "100000", "agents known at once; a new one replaces the one not seen for longest",
       count_setting(c.agent_limits.agents_max, 1, 100'000'000)},
      {"agent.new_per_minute", "N", "60", "new agents accepted from one address per minute; 0: no limit",
       count_setting(c.agent_limits.new_per_minute, 0, 1'000'000'000)},
      {"agent.clock_limit", "TIME", "25h",
       "agents whose clocks differ from the server's by more are refused until they agree",
       duration_setting(c.agent_limits.clock_difference_max, seconds(60), hours(24 * 365))},
  };
  return statmill::joined({own, agent_port_settings(c.agent)});
}

std::vector<Setting> remote_settings(ServerConfig& c) {
  return {
      {"prometheus.forget", "TIME", "24h",
       "what a series of remote_write had last is forgotten when no sample came for so long",
       duration_setting(c.remote.forget, std::chrono::minutes(1), std::chrono::hours(24 * 365))},
      {"prometheus.out_of_order", "TIME", "0s",
       "by how much a gauge's sample may be older than its last one, in whole slots",
       duration_setting(c.remote.out_of_order, Duration(0), std::chrono::hours(24))},
      {"prometheus.replica_labels", "CLUSTER,REPLICA", "cluster,__replica__",
       "labels of remote_write that name a cluster and the replica of it that sends; one counts; empty: all",
       parsed_setting(parse_replica_labels,
                      [&c](const std::pair<std::string, std::string>& labels) {
                        std::tie(c.remote.replicas.cluster_label, c.remote.replicas.replica_label) = labels;
                      })},
      {"prometheus.replica_timeout", "TIME", "30s",
       "another replica of a cluster takes over when the one that counts is silent for longer",
       duration_setting(c.remote.replicas.timeout, std::chrono::seconds(1), std::chrono::hours(1))},
      {"prometheus.clusters", "N", "1000", "clusters of replicas; samples of further ones are refused",
       count_setting(c.remote.replicas.clusters_max, 1, 1'000'000)},
      {"otlp.series", "N", "2000000",
       "series whose last value is remembered; further ones of OpenTelemetry are refused",
       count_setting(c.remote.series_max, 1, 1'000'000'000)},
      {"otlp.histogram_bytes", "BYTES", "256M",
       "RAM for what histograms had counted, and for slots of late gauges; further ones are refused",
       bytes_setting(c.remote.histogram_bytes, 1 << 10)}};
}

std::vector<Setting> tick_and_limit_settings(ServerConfig& c) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  return {
      {"tick", "TIME", "250ms", "how often samples become durable",
       duration_setting(c.tick_interval, milliseconds(10), seconds(60))},
      {"flush.interval", "TIME", "10m", "how long buckets stay in memory before they are flushed to chunks",
       duration_setting(c.tick.flush_interval, milliseconds(100), hours(24))},
      {"pending.bytes", "BYTES", "256M",
       "RAM for buckets not yet flushed; at twice this size samples are refused",
       bytes_setting(c.limits.pending_bytes, 1 << 20)},
      {"limits.series", "N", "2000000",
       "series with a sample in the last 24 h; samples of further new names are refused",
       count_setting(c.limits.series_max, 1, 1'000'000'000)},
      {"limits.name_bytes", "BYTES", "1G",
       "RAM for series and their names; samples of further new names are refused",
       bytes_setting(c.limits.name_bytes, 1 << 20)},
      {"limits.series_per_sender", "N", "0",
       "series that one address may create; samples of further new names are refused; 0: no limit",
       count_setting(c.limits.sender_series_max, 0, 1'000'000'000)},
      {"limits.families", "N", "100000",
       "families (path and kind) with unit or help; those of further ones are refused",
       count_setting(c.limits.families.families_max, 1, 100'000'000)},
      {"limits.family_bytes", "BYTES", "64M", "bytes of the paths, units and help texts of families",
       bytes_setting(c.limits.families.bytes_max, 1 << 20)},
      {"limits.ended_series", "N", "1000000",
       "series whose end is remembered; the older half is forgotten when there are more",
       count_setting(c.limits.ends_max, 2, 100'000'000)},
      {"limits.exemplars", "N", "500",
       "exemplars that are stored per second, on average over a minute; further ones are refused",
       count_setting(c.limits.exemplars.per_second, 0, 100'000)},
      {"limits.events", "N", "100000", "events that are kept; the oldest go",
       count_setting(c.documents.events.events_max, 1, 10'000'000)},
      {"limits.event_bytes", "BYTES", "64M", "RAM for events; the oldest go",
       bytes_setting(c.documents.events.bytes_max, 1 << 20)},
      {"limits.future", "TIME", "10m", "samples with a time further in the future are refused",
       duration_setting(c.limits.future_max, seconds(0), hours(24 * 365))},
      {"limits.kind_mismatch", "WHAT", "refuse",
       "samples of another kind than their series, from all but the line port: refuse or accept",
       parsed_setting(parse_other_kind, [&c](OtherKind what) { c.limits.other_kind = what; })},
      {"watchdog.patience", "TIME", "5m",
       "under systemd: restart the server if a tick or a query hangs for longer",
       duration_setting(c.watchdog.task_patience, seconds(1), hours(24 * 365))}};
}

std::vector<Setting> demo_settings(ServerConfig& c) {
  DemoOptions& d = c.demo;
  const auto set_now = [&d](const std::string& text) -> Status {
    if (text.empty()) return Status::ok();
    const Result<int64_t> now = parse_time(text, SystemClock().wall());
    if (!now) return now.error();
    d.now = from_unix_seconds(*now);
    return Status::ok();
  };
  constexpr int64_t kMany = 10'000'000;
  return {{"recording", "FILE", "",
           "serve what a recording of a host holds, in memory and at a free port of this host; empty: none",
           text_setting(c.recording)},
          {"demo", "", "false",
           "serve made-up data of a fleet of hosts, in memory and at free ports of this host",
           flag_setting(d.is_on)},
          {"demo.seed", "N", "1", "other seeds make other data", count_setting(d.seed, 0, kMany)},
          {"demo.now", "TIME", "", "stop the demo's clock at this time, in unix seconds; empty: it runs",
           set_now},
          {"demo.hosts", "N", "50", "hosts of the demo", count_setting(d.hosts, 1, 10'000)},
          {"demo.names", "N", "0", "further series of the demo, without new samples",
           count_setting(d.names, 0, kMany)}};
}

}  // namespace

AgentLimits limits_of_agents(const ServerConfig& config) {
  AgentLimits limits = config.agent_limits;
  limits.expiry = std::chrono::seconds(config.retention.longest().coarsest().retention_s);
  return limits;
}

std::vector<Setting> server_settings(ServerConfig& c) {
  return joined({store_and_line_settings(c),
                 line_limit_settings(c.line),
                 dialect_settings(c),
                 pickle_settings(c.pickle),
                 statsd_socket_settings(c.statsd_sockets),
                 statsd_limit_settings(c.statsd),
                 influx_settings(c),
                 watchdog_settings(c.watchdog),
                 http_settings(c),
                 query_settings(c.query),
                 agent_settings(c),
                 tick_and_limit_settings(c),
                 remote_settings(c),
                 network_settings("line", "the ports for lines, UDP and TCP", c.line.networks),
                 network_settings("http", "the HTTP port", c.http_networks),
                 network_settings("agent", "the port for agents", c.agent.networks),
                 scrape_settings(c.scrape),
                 rule_settings(c.rules),
                 log_settings(c.log),
                 demo_settings(c)});
}

}  // namespace statmill
