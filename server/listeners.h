// Listeners: all ports that receive samples: lines, Graphite (lines and pickles), statsd, InfluxDB and
// agents.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/net/watchdog.h"
#include "base/text.h"
#include "ingest/agents/agent_listener.h"
#include "ingest/connection_registry.h"
#include "ingest/intake.h"
#include "ingest/line_listener.h"
#include "ingest/statsd/event_sink.h"
#include "server/agents/agent_registry.h"
#include "server/config.h"
#include "server/table/table.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the main thread, except for connections(). Must outlive the tick thread, which reports durable
// batches to connections of agents.
class Listeners {
 public:
  struct Services {  // all must outlive it
    Table& table;
    Intake& intake;
    AgentRegistry& agents;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog& watchdog;
    StatsdEventSink& statsd_events;
  };
  // Registers statmill.line_connections. `config` must outlive it.
  Listeners(const ServerConfig& config, const Services& services);

  // Opens all ports of the configuration. After a fault, some may be open; stop() closes them.
  std::optional<Fault> open();
  // Reads certificates and tokens again, and uses the allowed and denied networks of `config`, for
  // connections from now on. After an error, what was read before stays.
  Status reload(const ServerConfig& config);
  // Ends the threads. No more samples come afterwards.
  void stop();

  struct Ports {  // an empty host: off
    Endpoint line;
    Endpoint graphite;
    Endpoint pickle;
    Endpoint statsd;
    Endpoint influx;
    Endpoint agent;
  };
  Ports ports() const;
  const ConnectionRegistry& connections() const { return connections_; }

 private:
  std::optional<Fault> open_lines(std::unique_ptr<LineListener>& listener, const Endpoint& endpoint,
                                  std::unique_ptr<Dialect> dialect);
  std::optional<Fault> open_agents();

  const ServerConfig& config_;
  const Services services_;
  ConnectionRegistry connections_;
  std::unique_ptr<LineListener> lines_;
  std::unique_ptr<LineListener> graphite_;  // nullptr: off
  std::unique_ptr<LineListener> pickle_;    // nullptr: off
  std::unique_ptr<LineListener> statsd_;    // nullptr: off
  std::unique_ptr<LineListener> influx_;    // nullptr: off
  std::unique_ptr<AgentListener> agents_;   // nullptr: off
};

}  // namespace statmill
