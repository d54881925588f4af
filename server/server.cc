#include "server/server.h"

#include "base/ending_signals.h"
#include "ingest/statsd/dialect.h"
#include "proto/istatd/parser.h"
#include "server/http/api_routes.h"
#include "server/report/agents_report.h"
#include "server/report/limits_report.h"

namespace statmill {
namespace {

ExitCode store_exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBusy:
      return ExitCode::kLocked;
    case ErrorCode::kCorrupt:
      return ExitCode::kDamaged;
    case ErrorCode::kVersion:
      return ExitCode::kOtherFormat;
    case ErrorCode::kInvalid:
      return ExitCode::kUsage;
    default:
      return ExitCode::kFailed;
  }
}

Fault store_fault(Error error, std::string_view context) {
  const ExitCode code = store_exit_code(error.code);
  if (error.code == ErrorCode::kCorrupt) {
    error.message += "; restore a backup, or start with --salvage to keep what can be read";
  }
  return {code, std::move(error).with(context)};
}

int64_t milliseconds_since(SteadyTime start, SteadyTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - start).count();
}

template <class Listener>
Endpoint endpoint_of(const std::unique_ptr<Listener>& listener) {
  return listener ? listener->endpoint() : Endpoint{};
}

std::string endpoint_text(const Endpoint& endpoint) {
  return endpoint.host.empty() ? "off" : endpoint.text();
}

// An agent is remembered for as long as any of its data is kept.
AgentLimits agent_limits(const ServerConfig& config) {
  AgentLimits limits = config.agent_limits;
  limits.expiry = std::chrono::seconds(config.retention.longest().coarsest().retention_s);
  return limits;
}

}  // namespace

Server::Server(ServerConfig config, const Clock& clock, Log& log)
    : config_(std::move(config)),
      clock_(clock),
      log_(log),
      started_(clock.steady()),
      watchdog_(config_.watchdog, watchdog_services()),
      table_(config_.retention, config_.limits),
      intake_(table_, registry_),
      agent_registry_(agent_limits(config_), registry_),
      http_workers_({.memory = config_.http_threads, .store = config_.http_threads}, &watchdog_, "http"),
      admin_workers_({.memory = 0, .store = kAdminThreads}, &watchdog_, "admin") {
  watchdog_.add_task("tick", tick_time_);
  watchdog_.add_task("stop", stop_time_);
}

// Stops the parts in the order of stop(), also after a failed start. Without a stop() before, samples since
// the last tick are lost.
Server::~Server() {
  stop_http();
  stop_senders();
  reclaim_thread_.reset();
  if (tick_thread_) static_cast<void>(stop_ticks(Duration(0)));
}

std::optional<Fault> Server::start() {
  if (auto fault = open_store()) return fault;
  const Damage damage = config_.store.salvage ? Damage::kSalvage : Damage::kRefuse;
  const auto recovery = recover(*store_, table_, damage);
  if (!recovery) {
    return store_fault(recovery.error(), "store.path " + config_.store.path);
  }
  log_.info("store open", {{"path", config_.store.path},
                           {"series", recovery->series},
                           {"journal_rows", recovery->journal_rows},
                           {"journal_entries", recovery->journal_entries},
                           {"ms", milliseconds_since(started_, clock_.steady())}});
  if (damage == Damage::kSalvage) report_losses(recovery->losses);
  if (auto fault = restore_agents()) return fault;
  return start_recovered(*recovery);
}

std::optional<Fault> Server::restore_agents() {
  auto agents = store_->snapshot()->agents();
  if (agents && agents->damaged > 0 && !config_.store.salvage)
    agents = Error{ErrorCode::kCorrupt, std::to_string(agents->damaged) + " damaged"};
  if (!agents) return store_fault(agents.error(), "agent rows in store.path " + config_.store.path);
  // An agent whose row is lost sends everything in its spool again, and part of that counts twice.
  if (agents->damaged > 0) log_.error("salvaged", {{"agent_rows_damaged", agents->damaged}});
  agent_registry_.restore(std::move(*agents));
  return std::nullopt;
}

void Server::report_losses(const SalvageLosses& losses) {
  const LogDrops& log = store_->log_drops();
  if (!losses.any() && log.places == 0)
    return log_.warn("nothing was lost: no need for --salvage at the next start", {});
  log_.error("salvaged", {{"log_places", log.places},
                          {"log_bytes", log.bytes},
                          {"journal_rows_damaged", losses.rows_damaged},
                          {"journal_gaps", losses.gaps},
                          {"journal_entries_lost", losses.entries + losses.entries_of_unknown_series},
                          {"activity_rows_lost", losses.activity_rows}});
  registry_.gauge("statmill.salvage_log_bytes", "Bytes of the log lost at this start.")
      .set(static_cast<int64_t>(log.bytes));
  registry_.gauge("statmill.salvage_journal_entries", "Buckets of the journal lost at this start.")
      .set(static_cast<int64_t>(losses.entries + losses.entries_of_unknown_series));
}

std::optional<Fault> Server::open_store() {
  RocksOptions options = config_.store;
  options.warn = [this](std::string_view what) {
    if (store_log_.admit(clock_.steady()) >= 0) log_.warn("rocksdb", {{"message", what}});
  };
  auto opened = RocksStore::open(options, config_.retention.tiers());
  if (!opened) {
    return store_fault(opened.error(), "store.path");
  }
  store_ = std::move(*opened);
  if (const std::optional<Error>& fault = store_->fault()) {
    log_.error("the store is read-only; samples wait in memory", {{"why", fault->message}});
    health_.set("store", fault->message);
  }
  return std::nullopt;
}

std::optional<Fault> Server::start_recovered(const Recovery& recovery) {
  engine_ = std::make_unique<QueryEngine>(table_, *store_, QueryLimits{});
  ticker_ =
      std::make_unique<Ticker>(Ticker::Services{table_, *store_, registry_, health_, log_, &agent_registry_},
                               config_.tick, recovery.start, clock_.steady());
  if (recovery.losses.any()) {  // flushed data no longer depend on the damaged journal
    if (Status s = ticker_->flush_all(TickTime::of(clock_)); !s)
      return store_fault(s.error(), "flush of salvaged data");
  }
  ticker_->begin(TickTime::of(clock_));
  register_figures();
  store_stats_.tick(*store_, clock_.steady());
  watchdog_thread_ = std::make_unique<WatchdogThread>(watchdog_, config_.watchdog.look);
  if (auto fault = listen()) return fault;
  self_series_ = std::make_unique<SelfSeries>(intake_, registry_);
  start_threads();
  const Ports at = ports();
  log_.info("ready", {{"line", endpoint_text(at.line)},
                      {"graphite", endpoint_text(at.graphite)},
                      {"statsd", endpoint_text(at.statsd)},
                      {"agent", endpoint_text(at.agent)},
                      {"http", at.http.text()},
                      {"admin", admin_http_ ? admin_http_->socket_path() : "off"},
                      {"series", table_.series_count()},
                      {"ms", milliseconds_since(started_, clock_.steady())}});
  return std::nullopt;
}

void Server::start_threads() {
  tick_thread_ =
      std::make_unique<TickThread>(*ticker_, clock_, log_, tick_time_, config_.tick_interval, [this] {
        store_stats_.tick(*store_, clock_.steady());
        self_series_->feed(clock_.wall(), clock_.steady());
        memory_return_.tick(clock_.steady(), table_.ram_bytes());
        new_series_.tick(clock_.steady(), table_.series_created());
        agent_alarms_.tick(clock_.steady());
      });
  reclaim_thread_ = std::make_unique<ReclaimThread>(*store_, registry_, log_);
  http_thread_.start(log_, "http", &watchdog_);
}

Server::Ports Server::ports() const {
  return {endpoint_of(lines_), endpoint_of(graphite_), endpoint_of(statsd_), endpoint_of(agents_),
          http_->local_endpoint()};
}

// After a fault the destructor closes the listeners that are open.
std::optional<Fault> Server::listen() {
  if (auto fault = listen_for_lines()) return fault;
  if (auto fault = listen_for_agents()) return fault;
  auto http =
      HttpServer::open(http_thread_.loop(), config_.http_listen,
                       {api_routes(http_services()), registry_, clock_, &http_workers_}, config_.http);
  if (!http) return Fault{ExitCode::kCannotListen, http.error()};
  http_ = std::move(*http);
  return listen_for_admin();
}

std::optional<Fault> Server::listen_for_lines() {
  if (auto fault = open(lines_, config_.line.listen, istatd_dialect())) return fault;
  if (config_.graphite_listen) {
    if (auto fault = open(graphite_, *config_.graphite_listen, graphite_dialect())) return fault;
  }
  if (!config_.statsd_listen) return std::nullopt;
  return open(statsd_, *config_.statsd_listen,
              std::make_unique<StatsdDialect>(config_.statsd, intake_, registry_));
}

std::optional<Fault> Server::open(std::unique_ptr<LineListener>& listener, const Endpoint& endpoint,
                                  std::unique_ptr<Dialect> dialect) {
  LineOptions options = config_.line;
  options.listen = endpoint;
  if (&listener != &lines_) options.socket_path.clear();
  listener = std::make_unique<LineListener>(
      options, std::move(dialect),
      LineListener::Services{intake_, registry_, connections_, clock_, log_, &watchdog_});
  if (Status s = listener->open(); !s) return Fault{ExitCode::kCannotListen, s.error()};
  return std::nullopt;
}

std::optional<Fault> Server::listen_for_agents() {
  if (!config_.agent.listen) return std::nullopt;
  agents_ = std::make_unique<AgentListener>(
      config_.agent,
      AgentListener::Services{agent_registry_, table_, intake_, registry_, clock_, log_, &watchdog_});
  const Status opened = agents_->open();
  if (opened) return std::nullopt;
  const bool is_setting = opened.error().code == ErrorCode::kInvalid;
  return Fault{is_setting ? ExitCode::kUsage : ExitCode::kCannotListen, opened.error()};
}

// Ends the listeners' threads. The listeners stay: a tick may still report to their connections.
void Server::stop_senders() {
  if (agents_) agents_->stop();
  for (auto* listener : {&statsd_, &graphite_, &lines_}) {
    if (*listener) (*listener)->stop();
  }
}

HttpServices Server::http_services() {
  const auto take_lines = [this, account = intake_.account("http")](std::string_view text, Timestamp now) {
    Batch batch;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(text, batch);
    const uint64_t accepted = intake_.submit(batch, account, now);
    account.bytes.add(text.size());
    return LinesAccount{batch.received, accepted, batch.refused};
  };
  Histogram<>& query_ns =
      registry_.histogram("statmill.query_ns", "Nanoseconds per query, without writing its answer.");
  return {[this, &query_ns](const QueryRequest& request, Timestamp now) {
            const Timer timer(query_ns);
            return engine_->run(request, now);
          },
          [this](const Glob& match, size_t limit) { return engine_->list(match, limit); },
          take_lines,
          [this] {
            return status_json(
                {table_, store_stats_.stats(), registry_, health_, connections_, clock_, started_});
          },
          [this] { return rejects_json(intake_.refusals()); },
          [this](size_t parts) {
            return cardinality_json({table_, intake_.refusals(), new_series_}, parts);
          },
          [this] { return agents_json(agent_registry_, clock_.wall()); },
          [this] { return watchdog_.makes_progress(); },
          registry_,
          health_,
          clock_};
}

void Server::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code&, int number) {
    log_.info("stopping", {{"signal", number == SIGINT ? "SIGINT" : "SIGTERM"}});
    signal_loop_.stop();
  });
  ignore_hangup();
  if (!admin_http_) admin_retry_.start();
  const LoopWatch watch(&watchdog_, signal_loop_, "signals");
  const EndingSignalsAccepted accepted;
  signal_loop_.run();
}

void Server::ignore_hangup() {
  hangups_.async_wait([this](const boost::system::error_code& error, int) {
    if (error) return;
    log_.warn("SIGHUP is ignored: settings are read only at the start");
    ignore_hangup();
  });
}

// Afterwards no request is being answered; admin jobs under way are canceled.
void Server::stop_http() {
  if (admin_) admin_->stop();
  if (admin_opening_.valid()) static_cast<void>(adopt_admin_socket(admin_opening_.get()));
  if (http_) http_->stop();
  if (admin_http_) admin_http_->stop();
  http_thread_.release();
  http_thread_.join();
}

Watchdog::Services Server::watchdog_services() {
  return {clock_, log_,
          [this](std::string_view loop, std::chrono::nanoseconds lag) {
            registry_
                .histogram("statmill.loop_lag_ns", "How late an event loop served a ping, in nanoseconds.",
                           {{"loop", std::string(loop)}})
                .record(static_cast<uint64_t>(lag.count()));
          },
          [this](std::string_view part, const std::string& text) { health_.set(part, text); },
          [this](std::string_view part, const std::string& text) { health_.warn(part, text); }};
}

Status Server::stop_ticks(Duration patience) {
  Status last = tick_thread_->stop(patience);
  tick_thread_.reset();
  return last;
}

// Threads end before the objects they use: first those that answer requests, which may wait for a tick; then
// those that feed the ticks; then the tick thread.
std::optional<Fault> Server::stop() {
  const TaskTime::Span span(stop_time_, clock_.steady());
  {
    const Running running("requests under way");
    stop_http();
  }
  {
    const Running running("the last lines and batches");
    stop_senders();
  }
  {
    const Running running("a compaction");
    reclaim_thread_.reset();
  }
  {
    const Running running("the last tick");
    if (const Status last = stop_ticks(kLastTickPatience); !last)
      return Fault{ExitCode::kFailed, Error(last.error()).with("last tick")};
  }
  const Running running("the store's buffers");
  // All data are durable already; a flush saves the next start from reading the log.
  if (Status s = store_->flush(); !s) log_.warn("buffers were not flushed", {{"why", s.error().message}});
  log_.info("stopped", {{"series", table_.series_count()}});
  return std::nullopt;
}

}  // namespace statmill
