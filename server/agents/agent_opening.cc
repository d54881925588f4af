// Which connection speaks for an agent, and from where the agent goes on.
#include <algorithm>
#include <utility>

#include "server/agents/agent_gaps.h"
#include "server/agents/known_agent.h"
#include "server/agents/secret_hash.h"

namespace statmill {
namespace {

// Of a numbering that begins anew.
AgentPosition start_of(uint32_t epoch, Timestamp time) { return {epoch, 0, 0, time}; }

bool has_secret(const AgentRow& row) { return row.secret != SecretHash{}; }

// The row that a connection with this hello goes on from.
AgentRow offer_of(const AgentRow& row, const HelloFrame& hello, const LineSender& sender) {
  AgentRow offer = row;
  offer.id = hello.id;
  offer.is_ephemeral = hello.is_ephemeral;
  offer.secret = hash_secret(hello.secret);
  offer.host = hello.host;
  offer.peer = sender.text();
  offer.agent_version = hello.agent_version;
  const AgentPosition& said = hello.acknowledged;
  if (said.epoch > offer.position.epoch) offer.position = start_of(said.epoch, row.position.time);
  return offer;
}

// The agent may be one that was forgotten: what it had acknowledged by then is in already, and not to be sent
// again. What was acknowledged later, a store has lost that was set back.
void doubt(AgentRow& offer, const AgentPosition& said, Timestamp forgotten_until) {
  offer.uncertain_until = forgotten_until;
  if (said.seq == 0 || said.time > forgotten_until) return;
  add_gap(offer, {1, said.seq, said.lines, GapReason::kEvicted, said.time});
  offer.position = said;
}

}  // namespace

std::variant<std::shared_ptr<AgentRegistry::Agent>, RefuseReason> AgentRegistry::find_or_make(
    const HelloFrame& hello, const LineSender& sender, TickTime now) {
  MutexLock lock(mutex_);
  note_time(now.steady);
  const auto found = agents_.find(hello.id);
  if (found != agents_.end()) return found->second;
  // The place itself is given with the first batch.
  if (!new_agents_.has_room(sender, now.steady) ||
      (kept_ >= limits_.agents_max && find_victim(now) == nullptr)) {
    limited_.add();
    return RefuseReason::kLimit;
  }
  auto agent = std::make_shared<Agent>();
  agent->noted.id = hello.id;
  {
    MutexLock own(agent->mutex);
    agent->row.id = hello.id;
  }
  return agents_.emplace(hello.id, std::move(agent)).first->second;
}

std::variant<AgentRegistry::Opened, RefuseReason> AgentRegistry::open(
    const HelloFrame& hello, const LineSender& sender, const std::shared_ptr<AgentWatcher>& watcher,
    TickTime now) {
  for (;;) {
    auto agent = find_or_make(hello, sender, now);
    if (const auto* reason = std::get_if<RefuseReason>(&agent)) return *reason;
    auto opened = open_found(std::get<0>(agent), hello, sender, watcher, now);
    if (opened) return std::move(*opened);
  }
}

std::optional<std::variant<AgentRegistry::Opened, RefuseReason>> AgentRegistry::open_found(
    const std::shared_ptr<Agent>& agent, const HelloFrame& hello, const LineSender& sender,
    const std::shared_ptr<AgentWatcher>& watcher, TickTime now) {
  AgentParty party{std::string(hello.host), sender.text()};
  std::shared_ptr<AgentWatcher> before;
  Opened opened;
  {
    MutexLock own(agent->mutex);
    MutexLock lock(mutex_);
    const auto found = agents_.find(hello.id);
    if (found == agents_.end() || found->second != agent) return std::nullopt;
    if (agent->is_leaving) return RefuseReason::kStopping;
    AgentRow offer = offer_of(agent->row, hello, sender);
    if (has_secret(agent->row) && agent->row.secret != offer.secret) {
      wrong_owner_.add();
      conflicts_.note(AgentConflict::Kind::kOwner, hello.id, agent->party(), std::move(party), now.steady);
      return RefuseReason::kOwner;
    }
    if (hello.acknowledged.epoch < offer.position.epoch) return RefuseReason::kFenced;
    if (!agent->is_kept && forgotten_until_) doubt(offer, hello.acknowledged, *forgotten_until_);
    const bool goes_on = agent->is_kept && offer.position.epoch == agent->durable.epoch;
    opened = {{agent, ++last_connection_, sender},
              goes_on ? agent->durable : offer.position,
              agent->durable_lines_refused};
    if (agent->connected) {
      replaced_.add();
      before = std::move(agent->connected->watcher);
      if (conflicts_.note(AgentConflict::Kind::kClones, hello.id, agent->party(), party, now.steady))
        clones_.add();
    }
    agent->connection = opened.hold.connection;
    agent->connected = std::make_unique<Agent::Connection>(
        Agent::Connection{watcher, offer.position.epoch,
                          AgentContact{.host = std::move(party.host),
                                       .peer = std::move(party.peer),
                                       .agent_version = std::string(hello.agent_version),
                                       .clock_ahead = hello.clock - now.wall}});
    agent->offer = std::make_unique<AgentRow>(std::move(offer));
  }
  if (before) before->ended(RefuseReason::kReplaced);
  return opened;
}

void AgentRegistry::close(const Hold& hold) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return;
  agent.connection = 0;
  agent.offer.reset();
  MutexLock lock(mutex_);
  agent.connected.reset();
  if (!agent.is_kept) agents_.erase(agent.row.id);  // it has said nothing that is to be kept
}

void AgentRegistry::note_status(const Hold& hold, const StatusFrame& frame,
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
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return;
  MutexLock lock(mutex_);
  AgentContact& contact = agent.connected->contact;
  contact.status = std::move(status);
  if (clock_ahead) contact.clock_ahead = *clock_ahead;
}

}  // namespace statmill
