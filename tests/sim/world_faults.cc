// The faults of a World: chooses them and injects them into agents, servers and connections.
#include <utility>

#include "server/agents/secret_hash.h"
#include "tests/sim/stranger.h"
#include "tests/sim/world.h"

namespace statmill::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr uint64_t kDaysMax = 4;  // after more days, samples would be too old

Duration clock_step(Chance& chance) {
  constexpr int64_t kStepsS[] = {1, 60, 86'400, 365 * 86'400, 10 * 365 * 86'400};
  const int64_t step = kStepsS[chance.below(std::size(kStepsS))];
  return seconds(chance.one_in(2) ? step : -step);
}

}  // namespace

void World::inject_faults() {
  if (is_healed_) return;
  const auto fault = static_cast<Fault>(stage_.chance.below(static_cast<uint64_t>(Fault::kCount)));
  if (faults_.test(static_cast<size_t>(fault))) inject(fault);
  stage_.schedule.after(milliseconds(stage_.chance.between(1, pace_ms_)), [this] { inject_faults(); });
}

void World::inject(Fault fault) {
  Chance& chance = stage_.chance;
  SimServer& server = *servers_[chance.below(servers_.size())];
  const size_t agent = chance.below(agents_.size());
  switch (fault) {
    case Fault::kServerCrash:
    case Fault::kStoreFails:
    case Fault::kStoreRestored:
    case Fault::kTableFull:
    case Fault::kServerClockStep:
      return inject_into_server(fault, server);
    case Fault::kConnectionCut:
    case Fault::kCutInside:
    case Fault::kStall:
      if (const auto connection =
              connections_.empty() ? nullptr : connections_[chance.below(connections_.size())].lock())
        inject_into_connection(fault, *connection);
      return;
    case Fault::kConversationReplayed:
      return replay_conversation();
    case Fault::kDayPasses:
      return skip_a_day();
    case Fault::kStranger:
      return send_stranger(server.number());
    case Fault::kClone:
      return copy(*agents_[agent]);
    case Fault::kIdenticalClone:
      return clone(*agents_[agent]);
    default:
      return inject_into_agent(fault, *agents_[agent]);
  }
}

void World::copy(SimAgent& agent) {
  if (agents_.size() >= kAgentsMax || agent.is_ephemeral()) return;
  stage_.note(agent.name() + "'s disk is copied");
  add_agent(agent.copy_disk(), next_location_++);
}

// The new machine does not differ in anything that an agent can detect.
void World::clone(SimAgent& agent) {
  if (agents_.size() >= kAgentsMax || agent.is_ephemeral() || !agent.is_up()) return;
  causes_.cloned(agent.id());
  has_clone_ = true;
  stage_.note(agent.name() + " is cloned as agent " + std::to_string(agents_.size()));
  ledger_.cloned(agent.number(), agents_.size(), agent.series());
  add_agent(agent.copy_disk(), agent.location());
}

void World::inject_into_agent(Fault fault, SimAgent& agent) {
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
    // Rare, because it hides other faults. Not with clones: two clones that both lose their numbering would
    // continue in the same epoch.
    if (has_clone_ || !chance.one_in(4)) return;
    agent.lose_segments();
    // Messages of the ended epoch may arrive late.
    for (uint64_t i = chance.below(4); i > 0; --i)
      stage_.schedule.after(milliseconds(chance.below(30'000)), [this] { replay_conversation(); });
  }
  if (fault == Fault::kMoved) agent.move(next_location_++);
  stage_.schedule.after(milliseconds(chance.below(15'000)), [&agent] { agent.start(); });
}

void World::inject_into_server(Fault fault, SimServer& server) {
  Chance& chance = stage_.chance;
  if (fault == Fault::kStoreFails) return server.fail_write();
  if (fault == Fault::kServerClockStep) {
    if (chance.one_in(3)) return server.set_clock_right();
    return server.step_clock(clock_step(chance));
  }
  if (fault == Fault::kTableFull)
    return server.fill_table(stage_.schedule.now() + seconds(chance.between(1, 20)));
  if (fault == Fault::kStoreRestored) {
    was_restored_ = true;
    server.restore_backup();
  } else {
    server.crash();
  }
  stage_.schedule.after(milliseconds(chance.below(20'000)), [&server] { server.start(); });
}

void World::inject_into_connection(Fault fault, Connection& connection) {
  Chance& chance = stage_.chance;
  if (fault == Fault::kConnectionCut) connection.cut();
  if (fault == Fault::kCutInside) connection.cut_after(chance.below(400));
  if (fault == Fault::kStall)
    connection.stall(chance.one_in(3) ? Side::kAgent : Side::kServer,
                     stage_.schedule.now() + seconds(chance.between(1, 30)));
}

// Replays to some server what an agent once sent, or is still sending, to some server.
void World::replay_conversation() {
  std::string words;
  const auto under_way =
      connections_.empty() ? nullptr : connections_[stage_.chance.below(connections_.size())].lock();
  if (under_way && (conversations_.empty() || stage_.chance.one_in(3))) words = under_way->conversation();
  if (words.empty() && !conversations_.empty())
    words = conversations_[stage_.chance.below(conversations_.size())];
  if (words.empty()) return;
  stage_.note("a conversation of " + std::to_string(words.size()) + " bytes is replayed");
  send(stage_.chance.below(servers_.size()), std::move(words));
}

// Records which identity changes the bytes may cause. Returns the epoch of their hello, or 0 if
// there is none.
uint32_t World::note_claims(size_t server, std::string_view words) {
  const FrameRead frame = read_frame(words);
  const bool is_hello = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kHello;
  const auto hello = is_hello ? decode_hello(frame.payload) : std::nullopt;
  if (!hello) return 0;
  if (ledger_.is_owner(hello->id, hash_secret(hello->secret))) {
    causes_.impersonated(hello->id);
  } else {
    const auto row = servers_[server]->row(hello->id);
    const bool is_known = row && ledger_.is_owner(hello->id, row->secret) && !are_agents_limited_;
    if (!is_known) causes_.claimed(hello->id, server);
  }
  return hello->acknowledged.epoch;
}

// A hello of an ended numbering must not be welcomed.
void World::check_answer(std::string_view answer, uint32_t epoch) {
  const FrameRead frame = read_frame(answer);
  const bool is_welcome = frame.state == FrameRead::State::kWhole && frame.type == FrameType::kWelcome;
  const auto welcome = is_welcome ? decode_welcome(frame.payload) : std::nullopt;
  if (welcome && welcome->position.epoch != epoch)
    stage_.report_violation("a hello of epoch " + std::to_string(epoch) + " is welcomed in epoch " +
                            std::to_string(welcome->position.epoch));
}

void World::send(size_t server, std::string words) {
  const uint32_t epoch = note_claims(server, words);
  const auto listen = [this, epoch, answer = std::make_shared<std::string>()](std::string_view bytes) {
    check_answer(answer->append(bytes), epoch);
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

// Some agents and servers are down meanwhile; all connections and timers see the whole day pass at once.
void World::skip_a_day() {
  if (days_ == kDaysMax) return;
  ++days_;
  Chance& chance = stage_.chance;
  for (const auto& agent : agents_) {
    if (chance.one_in(2)) continue;
    if (agent->is_ephemeral())
      agent->sleep(milliseconds(chance.below(15'000)));
    else
      inject_into_agent(Fault::kAgentKilled, *agent);
  }
  for (const auto& server : servers_) {
    if (chance.one_in(4)) inject_into_server(Fault::kServerCrash, *server);
  }
  stage_.note("25 hours pass");
  stage_.schedule.skip(kDay);
}

void World::send_stranger(size_t server) {
  const std::string overheard =
      conversations_.empty() ? "" : conversations_[stage_.chance.below(conversations_.size())];
  stage_.note("a stranger connects to " + servers_[server]->name());
  send(server, stranger_bytes(stage_.chance, overheard, servers_[server]->now().wall));
}

}  // namespace statmill::sim
