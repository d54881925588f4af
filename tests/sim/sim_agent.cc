#include "tests/sim/sim_agent.h"

#include <algorithm>
#include <utility>

#include "agent/spool/segment.h"
#include "server/agents/secret_hash.h"

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;

constexpr Duration kTick = milliseconds(1000);
constexpr Duration kStartAgain = milliseconds(700);

}  // namespace

SimAgent::SimAgent(const Uses& uses, size_t number, size_t location,
                   std::unique_ptr<FaultySpoolDirectory> disk)
    : uses_(uses), number_(number), location_(location) {
  use(std::move(disk));
  start();
}

void SimAgent::use(std::unique_ptr<FaultySpoolDirectory> disk) {
  disk_ = std::move(disk);
  disk_->fails = [this](SpoolCall) {
    return disk_fails_one_in_ > 0 && uses_.stage.schedule.now() < disk_fails_until_ &&
           uses_.stage.chance.one_in(disk_fails_one_in_);
  };
}

SimAgent::~SimAgent() { die(false); }

void SimAgent::later(Duration delay, void (SimAgent::*what)()) {
  uses_.stage.schedule.after(delay, [this, what, life = life_] {
    if (life == life_) (this->*what)();
  });
}

void SimAgent::start() {
  if (spool_) return;
  auto spool = Spool::open(*disk_, uses_.spool, {.directory = fact_hash(std::to_string(location_))},
                           [this] { return uses_.stage.chance.bits(); });
  if (!spool) {
    uses_.stage.note(name() + " cannot start: " + spool.error().message);
    return later(kStartAgain, &SimAgent::start);
  }
  spool_ = std::move(*spool);
  id_ = spool_->id();
  series_ = series_of(id_, spool_->epoch());
  abandoned_ = spool_->stats().lines_abandoned;
  uses_.ledger.owned(spool_->id(), hash_secret(spool_->secret()));
  uses_.stage.note(name() + " starts as " + series() + " after batch " +
                   std::to_string(spool_->next_seq() - 1));
  check(uses_.ledger.opened(number_, series_, spool_->lines()));
  for (size_t i = 0; i < uses_.servers.size(); ++i) {
    links_.push_back(std::make_shared<SimLink>(
        SimLink::Uses{uses_.stage, *disk_, *uses_.servers[i], uses_.watch, [this] { return wall(); },
                      [this, i](auto refused) { check_identity_change(i, refused); },
                      [this, i] { uses_.causes.left_before_welcome(id_, i); }},
        *spool_,
        DeliveryOptions{.server = i,
                        .host = name(),
                        .is_ephemeral = uses_.is_ephemeral,
                        .backlog_bytes = uses_.stage.chance.between(500, 2000)}));
    links_.back()->start();
  }
  later(kTick, &SimAgent::tick);
}

void SimAgent::die(bool is_silent) {
  ++life_;
  count_given_up();
  given_up_ = 0;
  for (const auto& link : links_) link->die(is_silent);
  links_.clear();
  spool_.reset();
  is_sync_due_ = false;
  if (!uses_.is_ephemeral) return;
  uses_.ledger.lost_memory(number_);
  use(std::make_unique<FaultySpoolDirectory>(uses_.stage.chance.bits()));
}

// Called after any event that may have changed its identity.
void SimAgent::check_identity_change(size_t server, std::optional<RefuseReason> refused) {
  const AgentId before = id_;
  series();
  if (id_ == before || uses_.causes.justify(before, server, refused)) return;
  uses_.stage.report_violation(name() + " has given up " + before.text() + " after a message of server " +
                               std::to_string(server) + ", without cause");
}

const std::string& SimAgent::series() {
  const std::string now = series_of(spool_->id(), spool_->epoch());
  if (now == series_) return series_;
  const uint64_t abandoned = spool_->stats().lines_abandoned;
  const uint64_t lost = abandoned - std::exchange(abandoned_, abandoned);
  uses_.stage.note(name() + " is " + now + " now, and gives up " + std::to_string(lost) + " lines");
  id_ = spool_->id();
  uses_.ledger.owned(id_, hash_secret(spool_->secret()));
  later(milliseconds(0), &SimAgent::pump);  // the other connections still use the old identity
  uses_.ledger.identity_changed(number_, std::exchange(series_, now), now, lost, spool_->lines() - lost);
  return series_;
}

void SimAgent::count_given_up() {
  if (!spool_) return;
  series();
  const SpoolStats stats = spool_->stats();
  const uint64_t given_up = stats.lines_dropped_full + stats.lines_dropped_failed;
  uses_.ledger.gave_up(number_, series_, given_up - std::exchange(given_up_, given_up));
}

void SimAgent::kill() {
  uses_.stage.note(name() + " is killed");
  die(false);
}

void SimAgent::cut_power() {
  uses_.stage.note(name() + " loses power");
  die(true);
  disk_->power_cut();
}

void SimAgent::move(size_t location) {
  kill();
  uses_.stage.note(name() + "'s disk is in another machine");
  location_ = location;
}

void SimAgent::sleep(Duration time) {
  if (!spool_) return;
  uses_.stage.note(name() + " sleeps");
  for (const auto& link : links_) link->sleep(time);
}

void SimAgent::lose_segments() {
  kill();
  uses_.stage.note(name() + ": its segments are removed");
  disk_fails_until_ = {};
  uses_.ledger.allow_uncounted_loss();
  for (const std::string& file : disk_->names()) {
    if (parse_segment_name(file)) static_cast<void>(disk_->remove(file));
  }
  static_cast<void>(disk_->sync());
}

void SimAgent::fail_disk(uint64_t one_in, SteadyTime until) {
  uses_.stage.note(name() + ": one in" + std::to_string(one_in) + " disk calls fails");
  disk_fails_one_in_ = one_in;
  disk_fails_until_ = until;
}

// Each machine uses its own milliseconds, so that batches of different machines have different times.
Timestamp SimAgent::wall() const {
  constexpr int64_t kMachines = 8;
  const Timestamp time = server_wall(uses_.stage.schedule.now()) + wall_ahead_;
  return time - Duration(time.time_since_epoch().count() % kMachines) +
         Duration(static_cast<int64_t>(number_));
}

void SimAgent::collect() {
  if (!spool_) return;
  series();
  LineBatch batch;
  batch.lines = uses_.stage.chance.between(1, uses_.lines_max);
  for (uint64_t i = 0; i < batch.lines; ++i)
    check(uses_.ledger.append(number_, series_, spool_->lines() + i, is_clock_wrong(), batch.text));
  spool_->append(batch, wall());
  if (!std::exchange(is_sync_due_, true))
    later(uses_.stage.chance.duration(milliseconds(0), milliseconds(300)), &SimAgent::sync);
}

void SimAgent::sync() {
  is_sync_due_ = false;
  series();
  if (spool_->sync()) uses_.ledger.synced(number_, series_);
  pump();
}

void SimAgent::pump() {
  for (const auto& link : std::vector(links_)) link->pump();
}

void SimAgent::tick() {
  if (spool_->stats().bytes_unsynced > 0) sync();
  static_cast<void>(spool_->trim(wall()));
  later(kTick, &SimAgent::tick);
}

bool SimAgent::is_done() {
  if (!spool_ || spool_->stats().bytes_unsynced > 0) return false;
  series();
  return std::all_of(uses_.servers.begin(), uses_.servers.end(), [&](const auto& server) {
    const auto row = server->row(spool_->id());
    return spool_->lines() == 0 ||
           (row && row->position.epoch == spool_->epoch() && row->position.seq == spool_->durable_seq() &&
            row->position.lines == spool_->lines());
  });
}

void SimAgent::check_end(SimServer& server, bool has_lost_nothing) {
  count_given_up();
  const auto row = server.row(spool_->id());
  if (spool_->lines() == 0) return;
  if (!row) return uses_.stage.report_violation(server.name() + " has no row of " + series());
  // If the server has forgotten any agent, it may have been this one.
  const bool is_known = has_lost_nothing && server.history().forgotten.empty();
  check(uses_.ledger.check_end(number_, *row, spool_->epoch(), spool_->lines(), is_known));
}

void SimAgent::check(const Ledger::Violation& found) const {
  if (found) uses_.stage.report_violation(name() + ": " + *found);
}

}  // namespace statmill::sim
