// Server: the composition root of statmilld. Constructs all parts, runs them until a signal comes, and stops
// them in reverse order without losing data.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/exit_code.h"
#include "base/net/main_loop.h"
#include "base/net/watchdog.h"
#include "base/settings.h"
#include "ingest/influx_intake.h"
#include "ingest/intake.h"
#include "ingest/line_intake.h"
#include "server/admin/admin_api.h"
#include "server/agents/agent_alarms.h"
#include "server/allocator.h"
#include "server/config.h"
#include "server/disk_forecast.h"
#include "server/documents/documents.h"
#include "server/documents/statsd_events.h"
#include "server/health.h"
#include "server/http/query_service.h"
#include "server/http_servers.h"
#include "server/listeners.h"
#include "server/live/live_hub.h"
#include "server/minute_count.h"
#include "server/otlp/otlp_intake.h"
#include "server/prometheus/remote_write_intake.h"
#include "server/prometheus/scrape_intake.h"
#include "server/query/engine.h"
#include "server/query/read/column_cache.h"
#include "server/query/table_series.h"
#include "server/report/server_reports.h"
#include "server/retention_reload.h"
#include "server/rules/rule_service.h"
#include "server/self_series.h"
#include "server/server_watchdog.h"
#include "server/setting_changes.h"
#include "server/store_opening.h"
#include "server/store_stats_cache.h"
#include "server/tick/id_reuse.h"
#include "server/tick/reclaim_thread.h"
#include "server/tick/recovery.h"
#include "server/tick/tick_participants.h"
#include "server/tick/tick_thread.h"
#include "server/write_rate.h"

namespace statmill {

// Confined to the main thread.
class Server {
 public:
  // `clock` and `log` must outlive it, and so must what `settings` views. With `settings`, SIGHUP reads them
  // again, and uses the retention, the lists of networks and the level of the log that they have now; it also
  // reads the certificates and tokens again that the server was started with. Without, SIGHUP has no effect.
  Server(ServerConfig config, const Clock& clock, Log& log,
         std::optional<SettingsInput> settings = std::nullopt);
  ~Server();

  // Opens and recovers the store, binds all addresses and starts the threads. With a `layer`, the table, the
  // tick and the queries use the store that it makes. Returns nullopt on success.
  std::optional<Fault> start(const StoreLayer& layer = {});
  // Waits for SIGINT or SIGTERM (MainLoop::run). Requires: prepare_service() was called before the server was
  // constructed.
  void wait_for_signal() {
    main_loop_.run(
        watch_.watchdog(), "signals", [this] { main_loop_.end(); },
        settings_ ? [this] { reload(); } : std::function<void()>());
  }
  // Processes what has arrived, writes the last tick and closes. Waits for requests under way and for the
  // disk; if that takes longer than --watchdog.hang, the log reports what it waits for. Call at most once. A
  // second signal during the call ends the process (MainLoop::run). Returns nullopt on success.
  std::optional<Fault> stop();

  struct Ports : Listeners::Ports {
    Endpoint http;
    std::string admin;  // the path of the admin socket; empty: off
  };
  // Submits lines as POST /api/v1/lines does, but from the server itself. Thread-safe, while it runs.
  LinesAccount add_lines(std::string_view text);
  // Returns false if the table has no room for more samples now. Thread-safe, while it runs.
  bool has_room() const { return table_.has_room(); }

  // Returns the addresses it listens on. Requires: start() has succeeded.
  Ports ports() const { return {listeners_.ports(), http_.api_endpoint(), http_.admin_path()}; }
  // Returns all routes of the HTTP port. Requires: start() has succeeded.
  std::span<const Route> routes() const { return http_.api_routes(); }

 private:
  Store& data() { return layer_ ? *layer_ : *store_; }
  std::optional<Fault> restore_remote_values();
  std::optional<Fault> start_ticker(const Recovery& recovery);
  std::optional<Fault> open_ports();  // after a fault the destructor closes those that are open
  void start_threads();
  std::vector<ListenerAddress> listener_addresses() const;
  void log_ready() const;
  void reload();
  void stop_http();
  Status stop_ticks(Duration patience);
  std::string live_state() const;
  LiveEvents live_events(uint64_t after);

  static constexpr Duration kWritePatience = std::chrono::seconds(5);  // of a request that changes a document
  static constexpr Duration kLastTickPatience = std::chrono::seconds(5);

  const ServerConfig config_;
  const std::optional<SettingsInput> settings_;
  std::optional<SettingChanges> setting_changes_;  // if there are settings
  const Clock& clock_;
  Log& log_;
  const SteadyTime started_;
  MainLoop main_loop_;
  Registry registry_;
  Health health_;
  ServerWatchdog watch_;
  StoreStatsCache store_stats_;
  DiskForecast disk_forecast_;
  WriteRate write_rate_;
  ProfileLease profile_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<Store> layer_;  // over store_; null: none
  Table table_;
  Intake intake_;
  LineIntake line_intake_;
  InfluxIntake influx_intake_;
  AgentRegistry agents_;
  FamilyTypes family_types_;
  RemoteTable remote_table_;
  ReplicaChoice replicas_;
  RemoteWriteIntake remote_intake_;
  OtlpIntake otlp_intake_;
  ScrapeIntake scrape_intake_;
  TickParticipants participants_{{&agents_, &remote_table_}};
  Documents documents_;
  StatsdEvents statsd_events_{documents_.events()};
  ColumnCache column_cache_;
  std::unique_ptr<QueryEngine> engine_;
  std::unique_ptr<TablePieces> pieces_;
  TableSeries table_series_{table_};
  std::unique_ptr<IdReuse> id_reuse_;
  std::unique_ptr<Ticker> ticker_;
  // Confined to the tick thread, except for their const functions.
  AgentAlarms agent_alarms_;
  MinuteCount new_series_;
  SelfSeries self_series_;
  MemoryReturn memory_return_;
  // Members with threads come after all that their threads use, so they are destroyed first. The listeners
  // come before the tick thread, which reports durable batches to their connections; stop() ends the
  // listeners' threads first.
  Listeners listeners_;
  std::unique_ptr<Scraper> scraper_;  // null: nothing is scraped
  std::unique_ptr<TickThread> tick_thread_;
  std::unique_ptr<ReclaimThread> reclaim_thread_;
  ServerReports reports_;
  QueryService queries_;
  std::unique_ptr<rules::RuleService> rules_;  // null: there are no rules
  const TaskWatch query_watch_;
  std::unique_ptr<AdminApi> admin_;
  std::unique_ptr<LiveHub> live_;
  HttpServers http_;
  std::unique_ptr<RetentionReloader> reloader_;  // from start() to stop()
  bool reload_follows_ = false;                  // SIGHUP came during a reload
};

}  // namespace statmill
