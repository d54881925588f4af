#include "server/server.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/running.h"
#include "ingest/program_metrics.h"
#include "server/agents/agent_metrics.h"
#include "server/documents/graphite_events.h"
#include "server/graphite/find_routes.h"
#include "server/graphite/render_routes.h"
#include "server/graphite/tag_routes.h"
#include "server/http/api_routes.h"
#include "server/http/influx_routes.h"
#include "server/http/query_batch.h"
#include "server/istatd/istatd_routes.h"
#include "server/json.h"
#include "server/otlp/otlp_routes.h"
#include "server/prometheus/push_routes.h"
#include "server/prometheus/remote_write_routes.h"
#include "server/promql/exemplar_route.h"
#include "server/promql/expression_route.h"
#include "server/promql/overview_routes.h"
#include "server/promql/prometheus_query_routes.h"
#include "server/promql/prometheus_routes.h"
#include "server/promql/prometheus_status_routes.h"
#include "server/promql/series_route.h"
#include "server/retention_settings.h"
#include "server/rules/rule_routes.h"
#include "server/store_metrics.h"
#include "server/table/table_metrics.h"
#include "server/web/page_routes.h"

namespace statmill {
namespace {

// A thread whose query does not end when it should is stuck, most likely at the disk.
Watchdog::LookAtTask look_at_queries(const QueryBoard& board) {
  return [&board](SteadyTime now) -> Watchdog::TaskState {
    const auto [id, time] = board.most_overdue(now);
    return {time, "query " + std::to_string(id) + ", after the time when it should have ended"};
  };
}

// Without tokens, samples may come from anywhere over HTTP, as they may over the ports for lines.
void open_lines(std::vector<Route>& routes) {
  for (Route& route : routes) {
    if (route.is_traffic) route.role = Role::kRead;
  }
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Faults have been reported before there is a server.
SettingValues read_values(const SettingsInput& input) {
  ServerConfig config;
  SettingValues values;
  static_cast<void>(apply_settings(recorded(server_settings(config), values), input));
  return values;
}

}  // namespace

Server::Server(ServerConfig config, const Clock& clock, Log& log, std::optional<SettingsInput> settings)
    : config_(std::move(config)),
      settings_(std::move(settings)),
      clock_(clock),
      log_(log),
      started_(clock.steady()),
      main_loop_(log),
      watch_(config_.watchdog, registry_, health_, clock, log),
      write_rate_(config_.device_tbw),
      table_(config_.retention, config_.limits),
      intake_(table_, registry_),
      line_intake_(intake_, "http"),
      influx_intake_(intake_, "influx"),
      agents_(limits_of_agents(config_), registry_),
      remote_table_(config_.remote, table_, family_types_, registry_),
      replicas_(config_.remote.replicas, clock, registry_),
      remote_intake_(remote_table_, family_types_, replicas_, intake_, registry_),
      otlp_intake_(remote_table_, intake_, registry_),
      scrape_intake_(remote_table_, family_types_, intake_, clock),
      documents_(config_.documents, kWritePatience + 2 * config_.tick_interval,
                 {agents_, registry_, clock, log}),
      column_cache_(config_.query.cache_bytes),
      agent_alarms_(agents_, health_, log),
      self_series_(intake_, registry_),
      memory_return_(registry_),
      listeners_(config_,
                 {table_, intake_, agents_, registry_, clock, log, watch_.watchdog(), statsd_events_}),
      reports_({table_, store_stats_, disk_forecast_, write_rate_, intake_.refusals(), new_series_,
                listeners_.connections(), agents_, registry_, health_, watch_.watchdog(), clock, started_,
                packed_page().build, config_.demo.is_on, file_name(config_.recording)}),
      queries_(config_.query, {registry_, clock, &log}),
      query_watch_(watch_.watchdog(), "queries", look_at_queries(queries_.board())),
      http_(config_, {registry_, health_, clock, log, watch_.watchdog(), main_loop_.loop(), queries_}) {
  if (settings_) setting_changes_.emplace(read_values(*settings_));
  register_program_metrics(registry_);
  register_table_metrics(registry_, table_);
  register_agent_metrics(registry_, agents_);
  registry_.gauge_fn("statmill.query_cache_bytes", "Bytes of decoded chunks that are kept for queries.", {},
                     [this] { return static_cast<double>(column_cache_.bytes()); });
}

// Stops the parts in the order of stop(), also after a failed start. Without a stop() before, samples since
// the last tick are lost.
Server::~Server() {
  reloader_.reset();
  stop_http();
  if (rules_) rules_->stop();
  if (scraper_) scraper_->stop();
  listeners_.stop();
  reclaim_thread_.reset();
  if (tick_thread_) static_cast<void>(stop_ticks(Duration(0)));
}

std::optional<Fault> Server::start(const StoreLayer& layer) {
  auto opened = open_store(config_, {table_, agents_, registry_, health_, clock_, log_, layer});
  if (auto* fault = std::get_if<Fault>(&opened)) return std::move(*fault);
  auto& [store, made_layer, recovery] = std::get<RecoveredStore>(opened);
  store_ = std::move(store);
  auto documents = store_->snapshot()->documents();
  if (!documents) return store_fault(documents.error(), "documents in store.path " + config_.store.path);
  documents_.restore(*std::move(documents));
  documents_.note_start(STATMILL_VERSION);
  if (auto fault = restore_remote_values()) return fault;
  layer_ = std::move(made_layer);
  engine_ = std::make_unique<QueryEngine>(table_, data(), config_.query.limits, &column_cache_);
  pieces_ = std::make_unique<TablePieces>(table_, data(), &column_cache_);
  store_stats_.tick(data(), clock_.steady());
  register_store_metrics(registry_, *store_, {store_stats_, write_rate_, health_});
  if (auto fault = start_ticker(recovery)) return fault;
  watch_.start();
  if (auto fault = open_ports()) return fault;
  reports_.set_listeners(listener_addresses());
  start_threads();
  log_ready();
  return std::nullopt;
}

LinesAccount Server::add_lines(std::string_view text) {
  return line_intake_.submit({.text = text, .sender = LineSender(), .now = clock_.wall()});
}

// Without damaged rows, counters count again what they went up by since the rows before.
std::optional<Fault> Server::restore_remote_values() {
  const auto restored = remote_table_.restore(*store_->snapshot(), clock_.wall(), config_.store.salvage);
  if (!restored) return store_fault(restored.error(), "last values in store.path " + config_.store.path);
  if (restored->damaged_rows > 0) log_.error("salvaged", {{"value_rows_damaged", restored->damaged_rows}});
  return std::nullopt;
}

std::optional<Fault> Server::start_ticker(const Recovery& recovery) {
  id_reuse_ = std::make_unique<IdReuse>(table_, data());
  ticker_ = std::make_unique<Ticker>(Ticker::Services{table_, data(), registry_, health_, log_,
                                                      &participants_, &documents_.changes(), id_reuse_.get()},
                                     config_.tick, recovery.start, clock_.steady());
  if (recovery.losses.any()) {  // flushed data no longer depend on the damaged journal
    if (Status s = ticker_->flush_all(TickTime::of(clock_)); !s)
      return store_fault(s.error(), "flush of salvaged data");
  }
  ticker_->begin(TickTime::of(clock_));
  return std::nullopt;
}

std::optional<Fault> Server::open_ports() {
  if (auto fault = listeners_.open()) return fault;
  if (config_.scrape.is_on()) {
    scraper_ = std::make_unique<Scraper>(
        config_.scrape, Scraper::Services{scrape_intake_, registry_, clock_, log_, &watch_.watchdog()});
    if (Status s = scraper_->open(); !s) return Fault{ExitCode::kUsage, s.error()};
  }
  admin_ = std::make_unique<AdminApi>(AdminApi::Services{
      table_, *store_, agents_, [this](const TickThread::Job& job) { return tick_thread_->call(job); },
      health_, queries_.board(), documents_, profile_,
      [this](const InsteadValues& instead) -> Result<Retention> {
        if (settings_) return read_retention(*settings_, instead);
        return Error{ErrorCode::kUnavailable, "this server reads its settings only at its start"};
      },
      clock_, log_});
  const HttpServices services{*engine_, line_intake_, reports_, registry_, health_, clock_, queries_.board()};
  const PrometheusSources sources{
      {table_series_, *pieces_, table_.live_retention(), store_->expiry()}, table_series_, clock_};
  std::vector<Route> routes = api_routes(services);
  const auto add = [&routes](std::vector<Route> more) {
    std::ranges::move(more, std::back_inserter(routes));
  };
  add(influx_routes({influx_intake_, health_, clock_, config_.influx_db_tag}));
  add(remote_write_routes(remote_intake_, clock_));
  add(otlp_routes(otlp_intake_, clock_));
  add(push_routes(remote_table_, family_types_, intake_, clock_));
  add(documents_.routes());
  answer_expressions(routes, sources, *engine_);
  list_selected_series(routes, *engine_);
  add(overview_routes(*engine_, clock_));
  add_batches(routes, clock_, [this] { return table_.series_count(); });
  add(prometheus_routes());
  add(prometheus_query_routes(sources));
  const rules::StoredRules::Services stored{sources.series, queries_, intake_, table_.ends(), clock_};
  if (config_.rules.is_on())
    rules_ =
        std::make_unique<rules::RuleService>(config_.rules, stored, documents_.changes(), registry_, log_);
  if (Status s = rules_ ? rules_->open() : Status::ok(); !s) return Fault{ExitCode::kUsage, s.error()};
  add(rules::rule_routes(rules_ ? rules_->board() : nullptr));
  routes.push_back(exemplar_route({table_series_, table_series_, data()}));
  add(graphite::find_routes(table_series_));
  add(graphite::render_routes({sources.series, graphite_event_times(documents_.events()), clock_}));
  add(graphite::tag_routes({table_series_, table_series_}));
  const auto running = std::chrono::floor<Duration>(clock_.steady() - started_);
  add(prometheus_status_routes({table_series_, store_stats_, table_.live_retention(),
                                config_.query.limits.timeout, clock_.wall() - running,
                                scraper_ ? &scraper_->board() : nullptr}));
  const istatd::CounterSources counters{*engine_, table_series_, table_.live_retention(), clock_};
  add(istatd::istatd_routes({counters, listeners_.connections(), agents_}));
  Result<Access> access =
      config_.http_tokens.empty() ? Result<Access>(Access()) : Access::from_file(config_.http_tokens);
  if (!access) return Fault{ExitCode::kUsage, access.error()};
  if (!access->has_tokens()) open_lines(routes);
  if (access->has_admin()) add(admin_->remote_routes());
  Result<std::vector<Route>> page = config_.http_assets.empty() ? packed_page_routes(packed_page())
                                                                : page_folder_routes(config_.http_assets);
  if (!page) return Fault{ExitCode::kUsage, page.error()};
  // Last, since a folder's routes match all paths, and those of bare names all of one segment.
  add(*std::move(page));
  add(istatd::bare_counter_routes(counters));
  live_ = std::make_unique<LiveHub>(
      LiveHub::Services{
          table_, data(), registry_, clock_, [this] { return live_state(); },
          config_.http_assets.empty() ? nullptr : std::make_unique<FolderWatch>(config_.http_assets),
          [this] { return documents_.events().last_id(); }, [this](uint64_t id) { return live_events(id); }},
      config_.live_streams);
  return http_.open(std::move(routes), admin_->routes(), *live_, *std::move(access),
                    store_->fault().has_value());
}

void Server::start_threads() {
  const auto before_tick = [this] {
    store_stats_.tick(data(), clock_.steady());
    disk_forecast_.tick(store_stats_.stats(), clock_.steady());
    write_rate_.tick(store_stats_.stats(), registry_, clock_.steady());
    profile_.tick(clock_.steady());
    self_series_.feed(clock_.wall(), clock_.steady());
    memory_return_.tick(clock_.steady(), table_.ram_bytes());
    new_series_.tick(clock_.steady(), table_.series_created());
    agent_alarms_.tick(TickTime::of(clock_));
    documents_.tick(TickTime::of(clock_));
  };
  tick_thread_ =
      std::make_unique<TickThread>(*ticker_, clock_, log_, watch_.tick(), config_.tick_interval, before_tick);
  reclaim_thread_ = std::make_unique<ReclaimThread>(*store_, *id_reuse_, registry_, log_,
                                                    [this] { admin_->release_idle(); });
  reloader_ = std::make_unique<RetentionReloader>(RetentionReloader::Services{
      {table_, *store_, [this](const TickThread::Job& job) { return tick_thread_->call(job); }, clock_},
      agents_,
      [this](std::function<void()> work) { main_loop_.post(std::move(work)); },
      log_});
  live_->start(log_);
  http_.start();
  if (scraper_) scraper_->start();
  if (const auto alerts = documents_.take_alerts(); rules_) rules_->start(alerts);
}

std::string Server::live_state() const {
  double refused = 0;
  double dropped = 0;
  for (const Reading& reading : registry_.read()) {
    if (reading.path() == "statmill.samples_refused") refused += reading.value();
    if (reading.path() == "statmill.udp_datagrams_dropped") dropped += reading.value();
  }
  std::string out;
  {
    JsonObject state(out);
    state.key("ready").append(health_.problems().empty() ? "true" : "false");
    state.count("names", table_.series_count());
    state.number("refused", refused);
    state.number("dropped", dropped);
    state.count("agents", agents_.connected());
    state.text("build", packed_page().build);
  }
  return out;
}

LiveEvents Server::live_events(uint64_t after) {
  LiveEvents out{.last = documents_.events().last_id()};
  for (const auto& event : documents_.events().after(after, kLiveEventsBytesMax)) {
    out.last = event->id;
    append_event_json(out.data.emplace_back(), *event);
  }
  return out;
}

std::vector<ListenerAddress> Server::listener_addresses() const {
  const Ports at = ports();
  std::vector<ListenerAddress> out;
  for (const auto& [name, endpoint] :
       {std::pair{"line", at.line}, std::pair{"graphite", at.graphite}, std::pair{"pickle", at.pickle},
        std::pair{"statsd", at.statsd}, std::pair{"influx", at.influx}, std::pair{"agent", at.agent},
        std::pair{"http", at.http}}) {
    if (!endpoint.host.empty()) out.push_back({name, endpoint.text()});
  }
  return out;
}

// The retention waits for the tick and the disk, which this loop must not do.
void Server::reload() {
  if (reloader_->is_busy()) {
    reload_follows_ = true;
    return log_.info("a reload is under way, another one follows it");
  }
  ServerConfig config;
  SettingValues values;
  const auto read = apply_settings(recorded(server_settings(config), values), *settings_);
  if (!read)
    return log_.error("settings not read again, all stays as it was", {{"error", read.error().message}});
  const Status listeners = listeners_.reload(config);
  const Status http = http_.reload(config);
  for (const Status* status : {&listeners, &http}) {
    if (!*status)
      log_.error("not read again, what was read before stays", {{"error", status->error().message}});
  }
  if (!listeners || !http) return;
  log_.set_level(config.log.level);
  reloader_->start(std::move(config.retention),
                   [this, values = std::move(values)](RetentionReload retention) {
                     setting_changes_->note(values, retention, log_);
                     log_.info("certificates, tokens and lists of networks read again");
                     if (std::exchange(reload_follows_, false)) reload();
                   });
}

void Server::log_ready() const {
  const Ports at = ports();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.steady() - started_);
  log_.info("ready", {{"line", at.line.text()},
                      {"graphite", at.graphite.text()},
                      {"pickle", at.pickle.text()},
                      {"statsd", at.statsd.text()},
                      {"influx", at.influx.text()},
                      {"agent", at.agent.text()},
                      {"http", at.http.text()},
                      {"admin", at.admin.empty() ? "off" : at.admin},
                      {"series", table_.series_count()},
                      {"ms", ms.count()}});
}

// Afterwards no request is being answered; admin jobs under way are canceled.
void Server::stop_http() {
  if (admin_) admin_->stop();
  http_.stop();
  if (live_) live_->stop();
}

Status Server::stop_ticks(Duration patience) {
  Status last = tick_thread_->stop(patience);
  tick_thread_.reset();
  return last;
}

// Threads end before the objects they use: first those that answer requests, which may wait for a tick; then
// those that feed the ticks; then the tick thread.
std::optional<Fault> Server::stop() {
  const TaskTime::Span span(watch_.stop(), clock_.steady());
  {
    const Running running("a reload of the retention");
    reloader_.reset();
  }
  {
    const Running running("requests under way");
    stop_http();
  }
  {
    const Running running("the last scrapes and rules");
    if (rules_) rules_->stop();
    if (scraper_) scraper_->stop();
  }
  {
    const Running running("the last lines and batches");
    listeners_.stop();
  }
  {
    const Running running("a compaction");
    reclaim_thread_.reset();
  }
  {
    const Running running("the last tick");
    documents_.note_stop();
    if (const Status last = stop_ticks(kLastTickPatience); !last)
      return Fault{ExitCode::kFailed, Error(last.error()).with("last tick")};
  }
  const Running running("the store's buffers");
  // All data are durable already; a flush saves the next start from reading the log.
  if (Status s = store_->flush(); !s) log_.warn("buffers were not flushed", {{"reason", s.error().message}});
  log_.info("stopped", {{"series", table_.series_count()}});
  return std::nullopt;
}

}  // namespace statmill
