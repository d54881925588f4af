// See agent_book.h: who speaks for an agent, and what is taken of it.
#include "server/agents/agent_book.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "server/agents/known_agent.h"
#include "server/agents/secret_hash.h"

namespace statmill {
namespace {

// Of a numbering that begins anew.
AgentPosition start_of(uint32_t epoch, Timestamp time) { return {epoch, 0, 0, time}; }

void add_gap(AgentRow& row, const GapFrame& frame) {
  const AgentPosition& before = row.position;
  const uint64_t lines = frame.lines_before - before.lines;
  row.lines_lost += lines;
  AgentGap* const last = row.last_gaps.empty() ? nullptr : &row.last_gaps.back();
  const bool goes_on = frame.reason == GapReason::kEvicted && last != nullptr &&
                       last->reason == frame.reason && last->last == before.seq;
  if (goes_on) {  // batch by batch, one gap
    last->last = frame.seq;
    last->lines += lines;
    last->to = frame.time;
    return;
  }
  ++row.gaps;
  if (row.last_gaps.size() == AgentRow::kGapsKept) row.last_gaps.erase(row.last_gaps.begin());
  row.last_gaps.push_back({before.seq + 1, frame.seq, lines, frame.reason, before.time, frame.time});
}

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

AgentBook::AgentBook(const AgentLimits& limits, Registry& registry)
    : limits_(limits),
      new_agents_(limits.new_per_minute),
      taken_(registry.counter("statmill.agent_batches", "Batches of agents taken.")),
      again_(
          registry.counter("statmill.agent_batches_again",
                           "Batches of agents that were in already: acknowledged again, not taken again.")),
      gaps_(registry.counter("statmill.agent_gaps", "Gaps in the batches of agents.")),
      lines_lost_(registry.counter("statmill.agent_lines_lost", "Lines that agents had to give up.")),
      replaced_(registry.counter("statmill.agent_connections_replaced",
                                 "Connections closed because another came for the same agent.")),
      clones_(registry.counter("statmill.agent_clones",
                               "Times that two agents were found to use one id: three replacements within 10 "
                               "minutes.")),
      wrong_owner_(registry.counter("statmill.agent_connections_wrong_owner",
                                    "Connections refused because the id is known with another secret.")),
      limited_(
          registry.counter("statmill.agents_limited",
                           "Times that a new agent found no room: --agent.limit, --agent.new_per_minute.")),
      forgotten_(registry.counter("statmill.agents_forgotten", "Agents forgotten, for whatever reason.")),
      evicted_(registry.counter("statmill.agents_evicted",
                                "Agents forgotten because a new one needed the place.")) {}

void AgentBook::restore(AgentRows rows) {
  MutexLock lock(mutex_);
  forgotten_until_ = rows.forgotten_until;
  for (AgentRow& row : rows.rows) {
    auto agent = std::make_shared<Agent>();
    agent->durable = row.position;
    agent->durable_lines_refused = row.lines_refused;
    agent->is_kept = true;
    agent->noted = row;
    newest_ = std::max(newest_, row.newest);
    {
      MutexLock own(agent->mutex);
      agent->row = std::move(row);
    }
    agents_.insert_or_assign(agent->noted.id, std::move(agent));
  }
  kept_ = agents_.size();
}

void AgentBook::note_time(TickTime now) {
  if (!started_) started_ = now.steady;
  now_ = {std::max(now_.wall, now.wall), std::max(now_.steady, now.steady)};
}

std::variant<std::shared_ptr<AgentBook::Agent>, RefuseReason> AgentBook::find_or_make(
    const HelloFrame& hello, const LineSender& sender, TickTime now) {
  MutexLock lock(mutex_);
  note_time(now);
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

std::variant<AgentBook::Opened, RefuseReason> AgentBook::open(const HelloFrame& hello,
                                                              const LineSender& sender,
                                                              const std::shared_ptr<AgentWatcher>& watcher,
                                                              TickTime now) {
  for (;;) {
    auto agent = find_or_make(hello, sender, now);
    if (const auto* reason = std::get_if<RefuseReason>(&agent)) return *reason;
    auto opened = open_found(std::get<0>(agent), hello, sender, watcher, now);
    if (opened) return std::move(*opened);
  }
}

std::optional<std::variant<AgentBook::Opened, RefuseReason>> AgentBook::open_found(
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

void AgentBook::close(const Hold& hold) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return;
  agent.connection = 0;
  agent.offer.reset();
  MutexLock lock(mutex_);
  agent.connected.reset();
  if (!agent.is_kept) agents_.erase(agent.row.id);  // it has said nothing that is to be kept
}

void AgentBook::note_status(const Hold& hold, const StatusFrame& frame, std::optional<Duration> clock_ahead) {
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

AgentTake AgentBook::take(const Hold& hold, const BatchFrame& batch, TickTime now, const Apply& apply) {
  const auto advance = [&](AgentRow& row) -> std::optional<Lines> {
    if (batch.seq != row.position.seq + 1 || batch.lines_before != row.position.lines) return std::nullopt;
    const uint64_t lines = batch.lines_before + batch.lines;
    Lines lines_are = Lines::kApplied;
    if (batch.time > now.wall + limits_.clock_max) {
      lines_are = Lines::kRefused;
    } else if (row.uncertain_until && batch.time <= *row.uncertain_until) {
      lines_are = Lines::kNone;
      add_gap(row, {batch.seq, batch.seq, lines, GapReason::kEvicted, batch.time});
    } else {
      row.uncertain_until.reset();  // whatever follows is later than any that was forgotten
      row.newest = std::max(row.newest, batch.time);
    }
    row.position = {row.position.epoch, batch.seq, lines, batch.time};
    return lines_are;
  };
  const AgentTake take = take_next(hold, batch.seq, now, apply, advance);
  if (take == AgentTake::kTaken) taken_.add();
  return take;
}

AgentTake AgentBook::take(const Hold& hold, const GapFrame& gap, TickTime now, const Apply& apply) {
  return take_next(hold, gap.seq, now, apply, [&](AgentRow& row) -> std::optional<Lines> {
    if (gap.first != row.position.seq + 1 || gap.lines_before < row.position.lines) return std::nullopt;
    add_gap(row, gap);
    row.position = {row.position.epoch, gap.seq, gap.lines_before, gap.time};
    return Lines::kNone;
  });
}

AgentTake AgentBook::take_next(const Hold& hold, uint64_t seq, TickTime now, const Apply& apply,
                               const std::function<std::optional<Lines>(AgentRow& row)>& advance) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return AgentTake::kReplaced;
  if (seq <= agent.offer->position.seq) {
    again_.add();
    return AgentTake::kAgain;
  }
  AgentRow next = *agent.offer;
  const std::optional<Lines> lines = advance(next);
  if (!lines) return AgentTake::kGap;
  if (!admit(agent, agent.offer->position, hold.sender, now)) return AgentTake::kLimit;
  next.seen = now.wall;
  bool is_marked = false;
  apply(*lines, [&](int parity, const RefusalCounts& refused) {
    for (const uint64_t count : refused) next.lines_refused += count;
    MutexLock lock(mutex_);
    noted_[static_cast<size_t>(parity)].insert_or_assign(next.id, next);
    agent.noted = next;
    newest_ = std::max(newest_, next.newest);
    note_time(now);
    for (size_t i = 0; agent.connected && i < refused.size(); ++i)
      agent.connected->contact.refused[i] += refused[i];
    is_marked = true;
  });
  SM_CHECK(is_marked);
  gaps_.add(next.gaps - agent.row.gaps);
  lines_lost_.add(next.lines_lost - agent.row.lines_lost);
  *agent.offer = next;
  agent.row = std::move(next);
  return AgentTake::kTaken;
}

// Gives the agent a place, unless it has one.
bool AgentBook::admit(Agent& agent, const AgentPosition& position, const LineSender& sender, TickTime now) {
  MutexLock lock(mutex_);
  if (agent.durable.epoch != position.epoch) agent.durable = position;  // what its hello was told
  if (agent.is_kept) return true;
  Agent* const victim = kept_ < limits_.agents_max ? nullptr : find_victim(now);
  if (!new_agents_.has_room(sender, now.steady) || (kept_ >= limits_.agents_max && victim == nullptr)) {
    limited_.add();
    return false;
  }
  if (victim != nullptr) {
    leave(*victim);
    evicted_.add();
  }
  new_agents_.note(sender, now.steady);
  agent.is_kept = true;
  ++kept_;
  return true;
}

void AgentBook::ride(int parity, StoreBatch& batch) {
  MutexLock lock(mutex_);
  auto& noted = noted_[static_cast<size_t>(parity)];
  for (auto& [id, row] : noted) batch.agents.push_back(std::move(row));
  noted.clear();
  find_unseen();
  forget_leaving(batch);
}

void AgentBook::committed(const StoreBatch& batch) {
  std::vector<std::pair<std::shared_ptr<AgentWatcher>, AckFrame>> told;
  {
    MutexLock lock(mutex_);
    for (const AgentRow& row : batch.agents) {
      const auto found = agents_.find(row.id);
      if (found == agents_.end()) continue;
      Agent& agent = *found->second;
      if (row.position.epoch != agent.durable.epoch) continue;  // its numbering has begun anew meanwhile
      agent.durable = row.position;
      agent.durable_lines_refused = row.lines_refused;
      // Nor is a connection told of a numbering before its own.
      if (agent.connected && agent.connected->epoch == row.position.epoch)
        told.emplace_back(agent.connected->watcher, AckFrame{row.position.seq, row.lines_refused});
    }
  }
  for (const auto& [watcher, ack] : told) watcher->durable(ack);
}

}  // namespace statmill
