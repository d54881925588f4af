// ServerConfig: all settings of statmilld with their defaults. Parsed once, immutable afterwards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/settings.h"
#include "base/watchdog_options.h"
#include "ingest/agents/agent_options.h"
#include "ingest/line_options.h"
#include "ingest/scrape/scrape_options.h"
#include "ingest/statsd/state.h"
#include "server/agents/agent_limits.h"
#include "server/demo/demo_options.h"
#include "server/documents/document_options.h"
#include "server/http/http_options.h"
#include "server/http/known_hosts.h"
#include "server/http/query_options.h"
#include "server/prometheus/remote_options.h"
#include "server/rules/rule_options.h"
#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "storage/retention.h"
#include "storage/rocks/rocks_options.h"

namespace statmill {

struct ServerConfig {
  RocksOptions store;
  size_t device_tbw = 0;  // TB that may be written to the disk in its life; 0: unknown
  Retention retention;
  LineOptions line;  // for all line listeners, except `listen`
  OtherKind line_other_kind = OtherKind::kAccept;
  std::optional<Endpoint> graphite_listen;  // nullopt: off
  PickleOptions pickle;
  std::optional<Endpoint> statsd_listen;  // nullopt: off
  std::optional<Endpoint> influx_listen;  // nullopt: off
  std::string influx_db_tag;              // spelled as the key of a tag; empty: none
  StatsdSockets statsd_sockets;
  StatsdLimits statsd;
  Endpoint http_listen;
  HttpOptions http;
  KnownHosts http_hosts;
  TlsFiles http_tls;
  bool http_plain = false;  // allow other hosts without TLS
  NetworkLists http_networks;
  std::string http_tokens;  // a file; empty: there are no tokens
  std::string http_assets;  // a folder; empty: the page of the binary
  QueryOptions query;
  size_t http_threads = 2;
  size_t live_streams = 64;
  AgentOptions agent;
  AgentLimits agent_limits;
  TableLimits limits;
  RemoteOptions remote;
  ScrapeOptions scrape;
  RuleOptions rules;
  DocumentOptions documents;
  TickOptions tick;
  std::string admin_socket;  // path; empty: admin.sock in the data directory
  Duration tick_interval{250};
  WatchdogOptions watchdog;
  DemoOptions demo;
  std::string recording;  // --recording: a file; empty: none
  LogOptions log;
};

// Returns agent_limits with the expiry set: an agent is remembered for as long as any of its data is kept.
AgentLimits limits_of_agents(const ServerConfig& config);

// Returns the settings, which write to `config` when parsed. `config` must outlive them.
std::vector<Setting> server_settings(ServerConfig& config);

}  // namespace statmill
