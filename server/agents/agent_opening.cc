#include <algorithm>
#include <utility>

#include "ingest/agents/agent_host.h"
#include "server/agents/agent_gaps.h"
#include "server/agents/known_agent.h"
#include "server/agents/secret_hash.h"

namespace statmill {
namespace {

// Returns the position before the first batch of an epoch.
AgentPosition start_of(uint32_t epoch, Timestamp time) { return {epoch, 0, 0, time}; }

bool has_secret(const AgentRow& row) { return row.secret != SecretHash{}; }

// By the server's clock: the agent's may be wrong.
HostBoot boot_of(const HelloFrame& hello, Timestamp now) {
  HostBoot boot{.kernel = std::string(hello.kernel), .id = std::string(hello.boot_id)};
  if (hello.uptime > Duration(0)) boot.time = now - hello.uptime;
  return boot;
}

SharedSources sources_of(const StatusFrame& frame) {
  const auto is_known = [](const CollectorNote& note) {
    return note.sources != kSourcesNotKnown || note.state == kCollectorUnavailable;
  };
  // An agent that does not say it has a collector that works and no source of it.
  if (!std::ranges::all_of(frame.collectors, is_known)) return nullptr;
  auto sources = std::make_shared<std::vector<CollectorSource>>();
  for (const CollectorNote& note : frame.collectors)
    sources->push_back({std::string(note.name), note.sources});
  return sources;
}

// Returns the row that the first frame after this hello extends.
AgentRow provisional_row(const AgentRow& row, const HelloFrame& hello, const LineSender& sender,
                         Timestamp now) {
  AgentRow provisional = row;
  provisional.id = hello.id;
  provisional.is_ephemeral = hello.is_ephemeral;
  provisional.secret = hash_secret(hello.secret);
  provisional.host = hello.host;
  provisional.peer = sender.text();
  provisional.agent_version = hello.agent_version;
  provisional.boot = boot_of(hello, now);
  const AgentPosition& said = hello.acknowledged;
  if (said.epoch > provisional.position.epoch)
    provisional.progress() = {start_of(said.epoch, row.position.time), std::nullopt};
  return provisional;
}

// For an agent that the server does not know but may have forgotten. Batches acknowledged up to
// `forgotten_until` are in the store and must not be sent again. If a later batch was acknowledged, the store
// was restored from an older state and has lost it: the agent sends it again.
void mark_uncertain(AgentRow& provisional, const AgentPosition& said, Timestamp forgotten_until) {
  provisional.uncertain_until = forgotten_until;
  if (said.seq == 0 || said.time > forgotten_until) return;
  add_gap(provisional, provisional.position, {1, said.seq, said.lines, GapReason::kEvicted, said.time});
  provisional.position = said;
}

// What the welcome reports. An agent that was interrupted is to continue with the run that it has begun.
AgentProgress reported(AgentProgress durable, const AgentRow& accepted) {
  if (durable.ahead || !accepted.ahead) return durable;
  const auto& [after, lines_before, last] = *accepted.ahead;
  durable.ahead = {after, lines_before, {durable.position.epoch, after, lines_before, durable.position.time}};
  return durable;
}

}  // namespace

std::variant<std::shared_ptr<AgentRegistry::Agent>, RefuseReason> AgentRegistry::find_or_add(
    const HelloFrame& hello, const LineSender& sender, TickTime now) {
  MutexLock lock(mutex_);
  note_time(now.steady);
  const auto found = agents_.find(hello.id);
  if (found != agents_.end()) return found->second;
  // The agent is registered with its first batch.
  if (!new_agents_.has_room(sender, now.steady) ||
      (registered_ >= limits_.agents_max && find_victim(now) == nullptr)) {
    limited_.add();
    return RefuseReason::kLimit;
  }
  auto agent = std::make_shared<Agent>();
  agent->row_copy.id = hello.id;
  {
    MutexLock own(agent->mutex);
    agent->row.id = hello.id;
  }
  return agents_.emplace(hello.id, std::move(agent)).first->second;
}

std::variant<AgentRegistry::Opened, RefuseReason> AgentRegistry::open(
    const HelloFrame& hello, const LineSender& sender, const std::shared_ptr<AgentObserver>& observer,
    TickTime now) {
  for (;;) {
    auto agent = find_or_add(hello, sender, now);
    if (const auto* reason = std::get_if<RefuseReason>(&agent)) return *reason;
    auto opened = open_found(std::get<0>(agent), hello, sender, observer, now);
    if (opened) return std::move(*opened);
  }
}

std::optional<std::variant<AgentRegistry::Opened, RefuseReason>> AgentRegistry::open_found(
    const std::shared_ptr<Agent>& agent, const HelloFrame& hello, const LineSender& sender,
    const std::shared_ptr<AgentObserver>& observer, TickTime now) {
  ConflictSide side{std::string(hello.host), sender.text()};
  std::shared_ptr<AgentObserver> before;
  Opened opened;
  {
    MutexLock own(agent->mutex);
    MutexLock lock(mutex_);
    const auto found = agents_.find(hello.id);
    if (found == agents_.end() || found->second != agent) return std::nullopt;
    if (agent->is_being_forgotten) return RefuseReason::kStopping;
    AgentRow provisional = provisional_row(agent->row, hello, sender, now.wall);
    if (has_secret(agent->row) && agent->row.secret != provisional.secret) {
      wrong_owner_.add();
      conflicts_.note(AgentConflict::Kind::kOwner, hello.id, agent->side(), std::move(side), now.steady);
      return RefuseReason::kOwner;
    }
    if (hello.acknowledged.epoch < provisional.position.epoch) return RefuseReason::kFenced;
    if (agent->connected && is_late_hello(hello, agent->connected->info.boot.id, agent->connected->clock))
      return RefuseReason::kStopping;
    if (!agent->is_registered && forgotten_until_)
      mark_uncertain(provisional, hello.acknowledged, *forgotten_until_);
    const bool continues =
        agent->is_registered && provisional.position.epoch == agent->durable.position.epoch;
    opened = {{agent, ++last_connection_, sender},
              continues ? reported(agent->durable, provisional) : provisional.progress(),
              agent->durable_lines_refused};
    if (agent->connected) {
      replaced_.add();
      before = std::move(agent->connected->observer);
      if (conflicts_.note(AgentConflict::Kind::kClones, hello.id, agent->side(), side, now.steady))
        clones_.add();
    }
    agent->connection = opened.lease.connection;
    agent->connected = std::make_unique<Agent::Connection>(
        Agent::Connection{observer, provisional.position.epoch, hello.clock,
                          AgentConnectionInfo{.host = std::move(side.host),
                                              .peer = std::move(side.peer),
                                              .agent_version = std::string(hello.agent_version),
                                              .boot = provisional.boot,
                                              .since = now.wall,
                                              .clock_ahead = hello.clock - now.wall}});
    agent->provisional = std::make_unique<AgentRow>(std::move(provisional));
  }
  if (before) before->on_ended(RefuseReason::kReplaced);
  return opened;
}

void AgentRegistry::close(const Lease& lease) {
  Agent& agent = *lease.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != lease.connection) return;
  agent.connection = 0;
  agent.provisional.reset();
  MutexLock lock(mutex_);
  agent.connected.reset();
  if (!agent.is_registered) agents_.erase(agent.row.id);  // it has sent no batch
}

void AgentRegistry::note_status(const Lease& lease, const StatusFrame& frame,
                                std::optional<Duration> clock_ahead) {
  AgentStatus status{.spool_bytes = frame.spool_bytes,
                     .lines_dropped = frame.lines_dropped,
                     .collectors = frame.collectors.size()};
  for (const CollectorNote& note : frame.collectors) {
    if (note.state == 0) continue;
    ++status.collectors_not_ok;
    if (status.troubles.size() < AgentStatus::kTroublesKept)
      status.troubles.push_back({std::string(note.name), note.state, std::string(note.reason)});
  }
  SharedSources sources = sources_of(frame);
  Agent& agent = *lease.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != lease.connection) return;
  MutexLock lock(mutex_);
  AgentConnectionInfo& info = agent.connected->info;
  info.status = std::move(status);
  // The same list stays one object, so that who watches it compares a pointer.
  if (!info.sources || !sources || *info.sources != *sources) info.sources = std::move(sources);
  if (clock_ahead) info.clock_ahead = *clock_ahead;
}

}  // namespace statmill
