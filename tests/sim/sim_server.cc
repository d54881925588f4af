// The simulated process, its faults, and its invariants.
#include "tests/sim/sim_server.h"

#include <algorithm>

#include "base/check.h"
#include "proto/istatd/parser.h"
#include "server/query/engine.h"
#include "server/tick/recovery.h"
#include "tests/sim/sim_session.h"
#include "tests/support/answers.h"
#include "tests/support/forwarding_store.h"
#include "tests/support/secrets.h"

namespace statmill::sim {
namespace {

// After the slots of all lines, and before the end of their retention.
constexpr int64_t kWallS = kFirstSlotS + 4 * 86400;
constexpr size_t kSlotsMax = 20'000;

Tiers tiers() { return *Tiers::parse("10s:10d,5m:1y"); }

}  // namespace

Timestamp server_wall(SteadyTime now) {
  return from_unix_seconds(kWallS) + std::chrono::duration_cast<Duration>(now.time_since_epoch());
}

// While a batch is being written, other threads receive messages from agents: here a position could get ahead
// of its samples.
class SimServer::WatchedStore final : public ForwardingStore {
 public:
  WatchedStore(Store& store, SimServer& server) : ForwardingStore(store), server_(server) {}

  Status write(const StoreBatch& batch) override {
    server_.deliver_to_others_now();
    for (const AgentId& id : batch.forgotten_agents) server_.note_forgotten(id);
    Status written = store_.write(batch);
    if (!batch.agents.empty()) server_.note_rows();
    server_.deliver_to_others_now();
    return written;
  }

 private:
  SimServer& server_;
};

struct SimServer::Process {
  explicit Process(SimServer& server)
      : store(server.store_, server), table(tiers(), TableLimits{}), agents(server.limits_, registry) {}

  Registry registry;
  Health health;
  Log log{LogLevel::kError};
  WatchedStore store;
  Table table;
  Intake intake{table, registry};
  AgentRegistry agents;
  std::unique_ptr<Ticker> ticker;
  std::optional<SimIntake> agent_intake;
  std::optional<RegisteredAgents> host;
  const std::string token;
  std::vector<std::shared_ptr<SimSession>> sessions;
};

SimServer::SimServer(Stage& stage, const Ledger& ledger, size_t number, const AgentLimits& limits)
    : stage_(stage), ledger_(ledger), number_(number), store_(tiers()), limits_(limits) {
  keep_backup();
  start();
}

SimServer::~SimServer() { crash(); }

void SimServer::start() {
  if (process_) return;
  stage_.note(name() + " starts");
  audit_store();
  process_ = std::make_unique<Process>(*this);
  Process& process = *process_;
  const auto recovery = recover(store_, process.table, Damage::kRefuse, secret_of(++starts_));
  SM_CHECK(recovery);
  process.agents.restore(*store_.snapshot()->agents());
  TickOptions options;
  options.expiry_interval = std::chrono::seconds(5);
  options.flush_interval = std::chrono::minutes(stage_.chance.one_in(4) ? 1 : 60);
  process.ticker = std::make_unique<Ticker>(Ticker::Services{process.table, process.store, process.registry,
                                                             process.health, process.log, &process.agents},
                                            options, recovery->start, stage_.schedule.now());
  process.agent_intake.emplace(process.table, process.intake,
                               [this] { return stage_.schedule.now() >= full_until_; });
  process.host.emplace(process.agents, *process.agent_intake);
}

void SimServer::crash() {
  if (!process_) return;
  stage_.note(name() + " crashes");
  ++crashes_;
  const bool is_silent = stage_.chance.one_in(4);  // the host is gone, too: no connection is closed
  for (const auto& session : process_->sessions) session->die(is_silent);
  process_.reset();
  store_.restart();
}

void SimServer::restore_backup() {
  crash();
  const size_t which = stage_.chance.below(backups_.size());
  stage_.note(name() + " is restored from backup " + std::to_string(which));
  store_.restore(backups_[which]);
  backups_.erase(backups_.begin() + static_cast<std::ptrdiff_t>(which) + 1, backups_.end());
  last_rows_.clear();
}

void SimServer::fail_write() {
  const bool is_whole = stage_.chance.one_in(2);
  stage_.note(name() + ": a write will fail" + (is_whole ? ", but be stored" : ""));
  store_.fail_next_write({ErrorCode::kIo, "planned"},
                         is_whole ? MemoryStore::Effect::kWhole : MemoryStore::Effect::kNone);
}

void SimServer::step_clock(Duration by) {
  wall_ahead_ += by;
  if (std::chrono::abs(wall_ahead_) > kClockRight) history_.was_clock_wrong = true;
  stage_.note(name() + ": its clock is now ahead by (ms)" + std::to_string(wall_ahead_.count()));
}

void SimServer::accept(const std::shared_ptr<Connection>& connection) {
  if (!process_) return connection->close(Side::kServer);
  auto& sessions = process_->sessions;
  std::erase_if(sessions, [](const auto& session) { return !session->is_open(); });
  sessions.push_back(SimSession::make(stage_, connection,
                                      {*process_->host, [token = process_->token] { return token; }},
                                      [this] { return now(); }));
}

void SimServer::tick() {
  if (!process_) return;
  // A server also has its own series. Their times, and the time of the newest sample, are as wrong
  // as its clock.
  Batch own;
  parse_istatd_lines("own 1", own);
  process_->table.apply(own, now().wall);
  if (!process_->ticker->tick(now())) stage_.note(name() + ": a tick failed");
}

TickTime SimServer::now() const {
  const SteadyTime now = stage_.schedule.now();
  return {server_wall(now) + wall_ahead_, now};
}

void SimServer::deliver_to_others_now() {
  if (!stage_.chance.one_in(3)) return;
  for (const auto& session : std::vector(process_->sessions)) {
    for (uint64_t i = stage_.chance.below(4); i > 0; --i) session->deliver_now();
  }
}

// An agent must not be forgotten before its data are past retention, except to make room for another.
void SimServer::note_forgotten(const AgentId& id) {
  stage_.note(name() + " forgets " + id.text());
  last_rows_.erase(id);  // its position may start again
  history_.forgotten.insert(id);
  const auto row = this->row(id);
  const bool has_places = limits_.agents_max == AgentLimits().agents_max;
  const Timestamp horizon = server_wall(stage_.schedule.now()) - limits_.expiry;
  if (has_places && row && std::max(row->seen, row->newest) >= horizon)
    stage_.report_violation(name() + " has forgotten agent " + id.text() + " too early");
}

// What is durable never decreases, except when the store was restored.
void SimServer::note_rows() {
  for (const AgentRow& row : rows()) {
    const AgentPosition& at = row.position;
    EverDurable& ever = ever_durable_[series_of(row.id, at.epoch)];
    ever.seq = std::max(ever.seq, at.seq);
    ever.newest = std::max(ever.newest, row.last().seq);
    AgentProgress& last = last_rows_[row.id];
    const bool is_lost =
        at.epoch == last.position.epoch && (at.seq < last.position.seq || row.last().seq < last.last().seq);
    if (at.epoch < last.position.epoch || is_lost)
      stage_.report_violation(name() + ": a watermark went back to " + std::to_string(at.seq));
    last = row.progress();
  }
}

SimServer::EverDurable SimServer::ever_durable(const std::string& series) const {
  const auto found = ever_durable_.find(series);
  return found == ever_durable_.end() ? EverDurable() : found->second;
}

std::vector<AgentRow> SimServer::rows() { return std::move(store_.snapshot()->agents()->rows); }

std::optional<AgentRow> SimServer::row(const AgentId& id) {
  for (const AgentRow& row : rows()) {
    if (row.id == id) return row;
  }
  return std::nullopt;
}

void SimServer::audit() {
  audit_store();
  if (!process_) return;
  if (const auto found = ledger_.check_once(content(process_->table, store_)))
    stage_.report_violation(name() + ", in RAM: " + *found);
}

void SimServer::check_losses() {
  if (!process_) return;
  if (const auto found = ledger_.check_losses(content(process_->table, store_), rows()))
    stage_.report_violation(name() + ": " + *found);
}

// Checks the store as found by a server that starts with a copy of it.
void SimServer::audit_store() {
  MemoryStore copy(tiers());
  copy.restore(store_.backup());
  Table table(tiers(), TableLimits{});
  if (const auto recovery = recover(copy, table, Damage::kRefuse, secret_of(starts_)); !recovery)
    return stage_.report_violation(name() + " cannot start: " + recovery.error().message);
  const Content in = content(table, copy);
  if (const auto found = ledger_.check_once(in)) return stage_.report_violation(name() + ": " + *found);
  if (const auto found = ledger_.check_rows(in, rows(), history_))
    stage_.report_violation(name() + ": " + *found);
}

Content SimServer::content(const Table& table, Store& store) const {
  const QueryEngine engine(table, store, {});
  const auto slots = static_cast<int64_t>(std::min<uint64_t>(ledger_.lines_made() + 1, kSlotsMax));
  Content content;
  if (table.series_count() == 0) return content;
  const QueryRequest request{{"a*"}, kFirstSlotS, kFirstSlotS + slots * kSlotS, kSlotS, {}};
  const auto answer = engine.run(request, server_wall(stage_.schedule.now()));
  SM_CHECK(answer);
  for (const SeriesAnswer& series : answer->series) {
    for (size_t i = 0; i < series.points.size(); ++i) {
      const auto total = stat_value(Stat::kSum, *answer, series, i);
      if (total == 0) continue;
      content[series.name][kFirstSlotS + kSlotS * static_cast<int64_t>(i)] = static_cast<uint64_t>(total);
    }
  }
  return content;
}

}  // namespace statmill::sim
