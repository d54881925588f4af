#include "tests/sim/world.h"

#include <algorithm>
#include <set>

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kConversationsMax = 8;
constexpr size_t kTicksPerAudit = 40;
constexpr AgentLimits kFewAgents{.agents_max = 2, .startup_grace = seconds(5)};
// Half-open connections are noticed within a minute, and once or twice a backoff follows.
constexpr Duration kArrivalLimit = seconds(240);

}  // namespace

World::World(uint64_t seed)
    : stage_(seed),
      faults_(stage_.chance.bits() | stage_.chance.bits()),
      pace_ms_(stage_.chance.between(500, 6000)),
      spool_(spool_options()),
      lines_max_(stage_.chance.one_in(2) ? 1 : 3),
      are_agents_limited_(stage_.chance.one_in(4)) {
  faults_ &= std::bitset<static_cast<size_t>(Fault::kCount)>(stage_.chance.bits() | stage_.chance.bits());
  for (uint64_t i = stage_.chance.between(1, 2); i > 0; --i)
    servers_.push_back(std::make_unique<SimServer>(stage_, ledger_, servers_.size(),
                                                   are_agents_limited_ ? kFewAgents : AgentLimits{}));
  spool_.servers = servers_.size();
  for (uint64_t i = stage_.chance.between(1, 3); i > 0; --i)
    add_agent(std::make_unique<FaultySpoolDirectory>(stage_.chance.bits()));
  for (size_t i = 0; i < servers_.size(); ++i) tick(i);
}

World::~World() { agents_.clear(); }

SpoolOptions World::spool_options() {
  SpoolOptions options;
  Chance& chance = stage_.chance;
  if (chance.one_in(4)) options.bytes_max = chance.between(4'000, 12'000);
  options.segment_bytes = chance.one_in(3) ? chance.between(300, 1000) : chance.between(1000, 10'000);
  if (chance.one_in(3)) options.unsynced_bytes_max = chance.between(300, 1500);
  options.identity_change_interval = seconds(20);
  options.keep_for = seconds(chance.one_in(2) ? chance.below(20) : 900);
  if (chance.one_in(3)) options.keep_bytes = chance.below(4000);
  return options;
}

void World::add_agent(std::unique_ptr<FaultySpoolDirectory> disk, std::optional<size_t> location) {
  const size_t number = agents_.size();
  const bool is_ephemeral = !location;
  agents_.push_back(
      std::make_unique<SimAgent>(SimAgent::Uses{stage_, ledger_, causes_, servers_,
                                                [this](const auto& connection) { watch(connection); }, spool_,
                                                lines_max_, number % 2 == 1 && is_ephemeral},
                                 number, location.value_or(number), std::move(disk)));
  collect(number, stage_.chance.between(300, 2000));
}

void World::watch(const std::shared_ptr<Connection>& connection) {
  std::erase_if(connections_, [&](const auto& weak) {
    const auto known = weak.lock();
    if (known && !known->is_dead()) return false;
    if (known && !known->conversation().empty() && conversations_.size() < kConversationsMax)
      conversations_.push_back(known->conversation());
    return true;
  });
  connections_.push_back(connection);
}

void World::play_for(Duration time) {
  const SteadyTime until = stage_.schedule.now() + time;
  const uint64_t days = days_;
  while (!stage_.violation && stage_.schedule.play(until + (days_ - days) * kDay)) continue;
}

void World::collect(size_t agent, uint64_t interval_ms) {
  if (is_healed_) return;
  agents_[agent]->collect();
  stage_.schedule.after(milliseconds(stage_.chance.between(1, 2 * interval_ms)),
                        [=, this] { collect(agent, interval_ms); });
}

void World::tick(size_t server) {
  servers_[server]->tick();
  if (!is_healed_ && stage_.chance.one_in(kTicksPerAudit)) servers_[server]->audit();
  if (!is_healed_ && stage_.chance.one_in(kTicksPerAudit)) servers_[server]->keep_backup();
  stage_.schedule.after(milliseconds(stage_.chance.between(250, is_healed_ ? 3000 : 1000)),
                        [=, this] { tick(server); });
}

void World::play() {
  inject_faults();
  play_for(seconds(stage_.chance.between(20, 100)));
  heal();
  // An agent that finds a clone's batches reports what it lost with its next identity, and may have to wait
  // for that.
  if (has_clone_) play_for(spool_.identity_change_interval + seconds(10));
  const SteadyTime limit = stage_.schedule.now() + kArrivalLimit;
  while (!stage_.violation && !is_done() && stage_.schedule.now() < limit) play_for(seconds(2));
  if (!stage_.violation) check_end();
}

void World::heal() {
  is_healed_ = true;
  stage_.note("no more faults");
  const SteadyTime now = stage_.schedule.now();
  for (const auto& server : servers_) {
    if (are_agents_limited_) server->crash();
    server->set_limits({});
    server->start();
    server->fill_table(now);
    server->set_clock_right();
  }
  for (const auto& agent : agents_) {
    agent->fail_disk(1, now);
    agent->set_clock_right();
    agent->start();
    agent->collect();  // missing batches are noticed when a later one arrives
  }
}

// False while two agents share an identity: then a row proves nothing.
bool World::is_done() const {
  if (!std::all_of(agents_.begin(), agents_.end(), [](const auto& agent) { return agent->is_done(); }))
    return false;
  std::set<std::string> numberings;
  for (const auto& agent : agents_) numberings.insert(agent->series());
  return numberings.size() == agents_.size();
}

void World::check_end() {
  for (const auto& agent : agents_) {
    if (!agent->is_up()) return stage_.report_violation(agent->name() + " does not start");
  }
  for (const auto& server : servers_) {
    server->audit();
    for (const auto& agent : agents_) agent->check_end(*server, !was_restored_);
    if (!was_restored_ && server->history().forgotten.empty()) server->check_losses();
  }
}

}  // namespace statmill::sim
