#include "tests/sim/world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/agents/secret_hash.h"
#include "tests/sim/stranger.h"

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kConversationsMax = 8;
constexpr size_t kTicksPerAudit = 40;
constexpr Duration kDay = std::chrono::hours(25);
constexpr uint64_t kDaysMax = 4;  // then samples would be too old
constexpr AgentLimits kFewPlaces{.agents_max = 2, .startup_grace = seconds(5)};
// Half-open connections are noticed within a minute, and backoffs add to that, once or twice.
constexpr Duration kArrivalLimit = seconds(240);

Duration clock_step(Chance& chance) {
  constexpr int64_t kStepsS[] = {1, 60, 86'400, 365 * 86'400, 10 * 365 * 86'400};
  const int64_t step = kStepsS[chance.below(std::size(kStepsS))];
  return seconds(chance.one_in(2) ? step : -step);
}

}  // namespace

World::World(uint64_t seed)
    : stage_(seed),
      faults_(stage_.chance.bits() | stage_.chance.bits()),
      pace_ms_(stage_.chance.between(500, 6000)),
      spool_(spool_options()),
      lines_max_(stage_.chance.one_in(2) ? 1 : 3),
      is_place_short_(stage_.chance.one_in(4)) {
  faults_ &= std::bitset<static_cast<size_t>(Fault::kCount)>(stage_.chance.bits() | stage_.chance.bits());
  for (uint64_t i = stage_.chance.between(1, 2); i > 0; --i)
    servers_.push_back(std::make_unique<SimServer>(stage_, ledger_, servers_.size(),
                                                   is_place_short_ ? kFewPlaces : AgentLimits{}));
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

void World::add_agent(std::unique_ptr<FaultySpoolDirectory> disk, std::optional<size_t> place) {
  const size_t number = agents_.size();
  const bool is_ephemeral = !place;
  agents_.push_back(
      std::make_unique<SimAgent>(SimAgent::Uses{stage_, ledger_, causes_, servers_,
                                                [this](const auto& connection) { watch(connection); }, spool_,
                                                lines_max_, number % 2 == 1 && is_ephemeral},
                                 number, place.value_or(number), std::move(disk)));
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
  if (is_at_rest_) return;
  agents_[agent]->collect();
  stage_.schedule.after(milliseconds(stage_.chance.between(1, 2 * interval_ms)),
                        [=, this] { collect(agent, interval_ms); });
}

void World::tick(size_t server) {
  servers_[server]->tick();
  if (!is_at_rest_ && stage_.chance.one_in(kTicksPerAudit)) servers_[server]->audit();
  if (!is_at_rest_ && stage_.chance.one_in(kTicksPerAudit)) servers_[server]->keep_backup();
  stage_.schedule.after(milliseconds(stage_.chance.between(250, is_at_rest_ ? 3000 : 1000)),
                        [=, this] { tick(server); });
}

void World::play() {
  go_wrong();
  play_for(seconds(stage_.chance.between(20, 100)));
  come_to_rest();
  const SteadyTime limit = stage_.schedule.now() + kArrivalLimit;
  while (!stage_.violation && !is_done() && stage_.schedule.now() < limit) play_for(seconds(2));
  if (!stage_.violation) check_end();
}

void World::go_wrong() {
  if (is_at_rest_) return;
  const auto fault = static_cast<Fault>(stage_.chance.below(static_cast<uint64_t>(Fault::kCount)));
  if (faults_.test(static_cast<size_t>(fault))) meet(fault);
  stage_.schedule.after(milliseconds(stage_.chance.between(1, pace_ms_)), [this] { go_wrong(); });
}

void World::meet(Fault fault) {
  Chance& chance = stage_.chance;
  SimServer& server = *servers_[chance.below(servers_.size())];
  const size_t agent = chance.below(agents_.size());
  switch (fault) {
    case Fault::kServerCrash:
    case Fault::kStoreFails:
    case Fault::kStoreSetBack:
    case Fault::kTableFull:
    case Fault::kServerClockStep:
      return meet_server(fault, server);
    case Fault::kConnectionCut:
    case Fault::kCutInside:
    case Fault::kStall:
      if (const auto connection =
              connections_.empty() ? nullptr : connections_[chance.below(connections_.size())].lock())
        meet_connection(fault, *connection);
      return;
    case Fault::kConversationAgain:
      return say_again();
    case Fault::kDayPasses:
      return pass_a_day();
    case Fault::kStranger:
      return meet_stranger(server.number());
    case Fault::kClone:
      return copy(*agents_[agent]);
    case Fault::kClonePlace:
      return clone(*agents_[agent]);
    default:
      return meet_agent(fault, *agents_[agent]);
  }
}

void World::copy(SimAgent& agent) {
  if (agents_.size() >= kAgentsMax || agent.is_ephemeral()) return;
  stage_.note(agent.name() + "'s disk is copied");
  add_agent(agent.copy_disk(), next_place_++);
}

// To a machine that differs in nothing that an agent can see.
void World::clone(SimAgent& agent) {
  if (agents_.size() >= kAgentsMax || agent.is_ephemeral() || !agent.is_up()) return;
  causes_.cloned(agent.id());
  has_clone_ = true;
  stage_.note(agent.name() + " is cloned as agent " + std::to_string(agents_.size()));
  ledger_.cloned(agent.number(), agents_.size(), agent.series());
  add_agent(agent.copy_disk(), agent.place());
}

void World::meet_agent(Fault fault, SimAgent& agent) {
  Chance& chance = stage_.chance;
  if (fault == Fault::kClockStep) {
    if (chance.one_in(3)) return agent.set_clock_right();
    return agent.step_clock(clock_step(chance));
  }
  const bool is_of_disk =
      fault == Fault::kDiskFails || fault == Fault::kSegmentsLost || fault == Fault::kMoved;
  if (is_of_disk && agent.is_ephemeral()) return;
  if (fault == Fault::kDiskFails)
    return agent.fail_disk(chance.between(1, 10), stage_.schedule.now() + seconds(chance.between(1, 15)));
  if (fault == Fault::kAgentKilled) agent.kill();
  if (fault == Fault::kPowerCut) agent.cut_power();
  if (fault == Fault::kSegmentsLost) {
    // It hides more than it shows. Two clones that both lose count would go on with the same next epoch.
    if (has_clone_ || !chance.one_in(4)) return;
    agent.lose_segments();
    // What it said in the epoch that is over now may be heard late.
    for (uint64_t i = chance.below(4); i > 0; --i)
      stage_.schedule.after(milliseconds(chance.below(30'000)), [this] { say_again(); });
  }
  if (fault == Fault::kMoved) agent.move(next_place_++);
  stage_.schedule.after(milliseconds(chance.below(15'000)), [&agent] { agent.start(); });
}

void World::meet_server(Fault fault, SimServer& server) {
  Chance& chance = stage_.chance;
  if (fault == Fault::kStoreFails) return server.fail_write();
  if (fault == Fault::kServerClockStep) {
    if (chance.one_in(3)) return server.set_clock_right();
    return server.step_clock(clock_step(chance));
  }
  if (fault == Fault::kTableFull) return server.fill(stage_.schedule.now() + seconds(chance.between(1, 20)));
  if (fault == Fault::kStoreSetBack) {
    was_set_back_ = true;
    server.set_back();
  } else {
    server.crash();
  }
  stage_.schedule.after(milliseconds(chance.below(20'000)), [&server] { server.start(); });
}

void World::meet_connection(Fault fault, Connection& connection) {
  Chance& chance = stage_.chance;
  if (fault == Fault::kConnectionCut) connection.cut();
  if (fault == Fault::kCutInside) connection.cut_after(chance.below(400));
  if (fault == Fault::kStall)
    connection.stall(chance.one_in(3) ? Side::kAgent : Side::kServer,
                     stage_.schedule.now() + seconds(chance.between(1, 30)));
}

// What an agent once said to some server, some server hears again, or hears while it is still being said.
void World::say_again() {
  std::string words;
  const auto under_way =
      connections_.empty() ? nullptr : connections_[stage_.chance.below(connections_.size())].lock();
  if (under_way && (conversations_.empty() || stage_.chance.one_in(3))) words = under_way->conversation();
  if (words.empty() && !conversations_.empty())
    words = conversations_[stage_.chance.below(conversations_.size())];
  if (words.empty()) return;
  stage_.note("a conversation of " + std::to_string(words.size()) + " bytes is heard again");
  say(stage_.chance.below(servers_.size()), std::move(words));
}

// What the words may lead an agent to. Gives the epoch of their hello; 0: they have none.
uint32_t World::note_words(size_t server, std::string_view words) {
  const FrameRead frame = read_frame(words);
  const bool is_hello = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kHello;
  const auto hello = is_hello ? decode_hello(frame.payload) : std::nullopt;
  if (!hello) return 0;
  if (ledger_.is_owner(hello->id, hash_secret(hello->secret))) {
    causes_.impersonated(hello->id);
  } else {
    const auto row = servers_[server]->row(hello->id);
    const bool is_known = row && ledger_.is_owner(hello->id, row->secret) && !is_place_short_;
    if (!is_known) causes_.claimed(hello->id, server);
  }
  return hello->acknowledged.epoch;
}

// A numbering that is over is not welcome.
void World::hear(std::string_view answer, uint32_t epoch) {
  const FrameRead frame = read_frame(answer);
  const bool is_welcome = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kWelcome;
  const auto welcome = is_welcome ? decode_welcome(frame.payload) : std::nullopt;
  if (welcome && welcome->position.epoch != epoch)
    stage_.violated("a hello of epoch " + std::to_string(epoch) + " is welcomed in epoch " +
                    std::to_string(welcome->position.epoch));
}

void World::say(size_t server, std::string words) {
  const uint32_t epoch = note_words(server, words);
  const auto listen = [this, epoch, answer = std::make_shared<std::string>()](std::string_view bytes) {
    hear(answer->append(bytes), epoch);
  };
  const auto connection = std::make_shared<Connection>(stage_);
  const auto rest = std::make_shared<std::string>(std::move(words));
  const auto write = [weak = std::weak_ptr(connection), rest] {
    if (const auto open = weak.lock()) rest->erase(0, open->write(Side::kAgent, *rest));
  };
  connection->attach(Side::kAgent, {.bytes = listen, .room = write, .gone = [] {}});
  servers_[server]->accept(connection);
  write();
  stage_.schedule.after(seconds(stage_.chance.between(1, 20)),
                        [connection] { connection->close(Side::kAgent); });
}

// Some are away for it, and all connections and timers see it pass at once.
void World::pass_a_day() {
  if (days_ == kDaysMax) return;
  ++days_;
  Chance& chance = stage_.chance;
  for (const auto& agent : agents_) {
    if (chance.one_in(2)) continue;
    if (agent->is_ephemeral())
      agent->sleep(milliseconds(chance.below(15'000)));
    else
      meet_agent(Fault::kAgentKilled, *agent);
  }
  for (const auto& server : servers_) {
    if (chance.one_in(4)) meet_server(Fault::kServerCrash, *server);
  }
  stage_.note("25 hours pass");
  stage_.schedule.skip(kDay);
}

void World::meet_stranger(size_t server) {
  const std::string overheard =
      conversations_.empty() ? "" : conversations_[stage_.chance.below(conversations_.size())];
  stage_.note("a stranger talks to " + servers_[server]->name());
  say(server, words_of_stranger(stage_.chance, overheard, servers_[server]->now().wall));
}

void World::come_to_rest() {
  is_at_rest_ = true;
  stage_.note("nothing goes wrong any more");
  const SteadyTime now = stage_.schedule.now();
  for (const auto& server : servers_) {
    if (is_place_short_) server->crash();
    server->set_limits({});
    server->start();
    server->fill(now);
    server->set_clock_right();
  }
  for (const auto& agent : agents_) {
    agent->fail_disk(1, now);
    agent->set_clock_right();
    agent->start();
    agent->collect();  // what is missing shows when something follows
  }
}

// Of two agents with one identity a row says nothing.
bool World::is_done() const {
  if (!std::all_of(agents_.begin(), agents_.end(), [](const auto& agent) { return agent->is_done(); }))
    return false;
  std::set<std::string> numberings;
  for (const auto& agent : agents_) numberings.insert(agent->series());
  return numberings.size() == agents_.size();
}

void World::check_end() {
  for (const auto& agent : agents_) {
    if (!agent->is_up()) return stage_.violated(agent->name() + " does not start");
  }
  for (const auto& server : servers_) {
    server->audit();
    for (const auto& agent : agents_) agent->check_end(*server, !was_set_back_);
    if (!was_set_back_ && server->past().forgotten.empty()) server->check_told();
  }
}

}  // namespace statmill::sim
