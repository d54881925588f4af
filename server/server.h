// Server: the composition root of statmilld. Constructs all parts, runs them until a signal comes, and stops
// them in reverse order without losing data.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "base/net/event_thread.h"
#include "base/net/repeating_timer.h"
#include "base/net/watchdog_thread.h"
#include "base/task_time.h"
#include "ingest/intake.h"
#include "ingest/line_listener.h"
#include "server/admin/admin.h"
#include "server/admin/name_changes.h"
#include "server/agents/agent_alarms.h"
#include "server/agents/agent_listener.h"
#include "server/allocator.h"
#include "server/config.h"
#include "server/exit_code.h"
#include "server/health.h"
#include "server/http/http_server.h"
#include "server/http/http_services.h"
#include "server/http/http_workers.h"
#include "server/minute_count.h"
#include "server/query/engine.h"
#include "server/report/status.h"
#include "server/self_series.h"
#include "server/store_stats_cache.h"
#include "server/tick/reclaim_thread.h"
#include "server/tick/recovery.h"
#include "server/tick/tick_thread.h"

namespace statmill {

// Confined to the main thread.
class Server {
 public:
  // Both must outlive it.
  Server(ServerConfig config, const Clock& clock, Log& log);
  ~Server();

  // Opens and recovers the store, binds all addresses and starts the threads. Returns nullopt on success.
  std::optional<Fault> start();
  // Waits for SIGINT or SIGTERM; logs and ignores SIGHUP. Requires: main blocked all three signals before it
  // constructed the server (base/ending_signals.h).
  void wait_for_signal();
  // Processes what has arrived, writes the last tick and closes. Waits for requests under way and for the
  // disk; if that takes longer than --watchdog.hang, the log reports what it waits for. Call at most once;
  // signals during the call have no effect. Returns nullopt on success.
  std::optional<Fault> stop();

  struct Ports {  // an empty host: off
    Endpoint line;
    Endpoint graphite;
    Endpoint statsd;
    Endpoint agent;
    Endpoint http;
  };
  // Returns the addresses it listens on. Requires: start() has succeeded.
  Ports ports() const;

 private:
  std::optional<Fault> open_store();
  std::optional<Fault> restore_agents();
  void report_losses(const SalvageLosses& losses);
  std::optional<Fault> start_recovered(const Recovery& recovery);
  std::optional<Fault> listen();
  std::optional<Fault> listen_for_lines();
  std::optional<Fault> open(std::unique_ptr<LineListener>& listener, const Endpoint& endpoint,
                            std::unique_ptr<Dialect> dialect);
  std::optional<Fault> listen_for_agents();
  void stop_senders();
  std::optional<Fault> listen_for_admin();
  Result<std::unique_ptr<HttpServer>> open_admin_socket();
  Status adopt_admin_socket(Result<std::unique_ptr<HttpServer>> opened);
  void retry_admin_socket();
  void ignore_hangup();
  void start_threads();
  void stop_http();
  Status stop_ticks(Duration patience);
  HttpServices http_services();
  Watchdog::Services watchdog_services();
  Result<AgentRow> forget_agent(const AgentRegistry::ForgetRequest& request);
  void register_figures();

  static constexpr Duration kLastTickPatience = std::chrono::seconds(5);
  static constexpr Duration kAdminRetry = std::chrono::seconds(1);
  static constexpr size_t kAdminThreads = 2;  // while one runs a long job, the other refuses further jobs

  const ServerConfig config_;
  const Clock& clock_;
  Log& log_;
  const SteadyTime started_;
  boost::asio::io_context signal_loop_{1};
  boost::asio::signal_set signals_{signal_loop_, SIGINT, SIGTERM};  // from the start on
  boost::asio::signal_set hangups_{signal_loop_, SIGHUP};
  LogLimiter store_log_{std::chrono::seconds(1)};
  Registry registry_;
  Health health_;
  Watchdog watchdog_;
  TaskTime tick_time_;
  TaskTime stop_time_;
  std::unique_ptr<WatchdogThread> watchdog_thread_;
  StoreStatsCache store_stats_;
  std::unique_ptr<RocksStore> store_;
  Table table_;
  Intake intake_;
  AgentRegistry agent_registry_;
  AgentAlarms agent_alarms_{agent_registry_, health_, log_};  // confined to the tick thread
  MinuteCount new_series_;
  std::unique_ptr<QueryEngine> engine_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<SelfSeries> self_series_;
  MemoryReturn memory_return_{registry_};  // confined to the tick thread
  ConnectionRegistry connections_;
  // Members with threads come after all that their threads use, so they are destroyed first. The listeners
  // come before the tick thread, which reports durable batches to their connections; stop() ends the
  // listeners' threads first.
  std::unique_ptr<LineListener> lines_;
  std::unique_ptr<LineListener> graphite_;  // nullptr: off
  std::unique_ptr<LineListener> statsd_;    // nullptr: off
  std::unique_ptr<AgentListener> agents_;   // nullptr: off
  std::unique_ptr<TickThread> tick_thread_;
  std::unique_ptr<ReclaimThread> reclaim_thread_;
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<NameChanges> name_changes_;
  EventThread http_thread_;  // runs both HTTP servers
  HttpWorkers http_workers_;
  std::unique_ptr<HttpServer> http_;
  HttpWorkers admin_workers_;
  std::unique_ptr<HttpServer> admin_http_;
  // If the admin socket could not be created because of the disk, its creation is retried every second: on an
  // admin thread, since the disk may hang.
  std::future<Result<std::unique_ptr<HttpServer>>> admin_opening_;
  RepeatingTimer admin_retry_{signal_loop_, [] { return kAdminRetry; }, [this] { retry_admin_socket(); }};
};

}  // namespace statmill
