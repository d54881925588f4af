// What is taken of an agent, and when it is durable.
#include "server/agents/agent_registry.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "server/agents/agent_gaps.h"
#include "server/agents/known_agent.h"
#include "server/tick/clock_guard.h"

namespace statmill {

AgentRegistry::AgentRegistry(const AgentLimits& limits, Registry& registry)
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

void AgentRegistry::restore(AgentRows rows) {
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

void AgentRegistry::note_time(SteadyTime now) {
  if (!started_) started_ = now;
  now_ = std::max(now_, now);
}

AgentTake AgentRegistry::take(const Hold& hold, const BatchFrame& batch, TickTime now, const Apply& apply) {
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
  const AgentPosition behind{0, batch.seq, batch.lines_before + batch.lines, batch.time};
  const AgentTake take = take_next(hold, {behind}, now, apply, advance);
  if (take == AgentTake::kTaken) taken_.add();
  return take;
}

AgentTake AgentRegistry::take(const Hold& hold, const GapFrame& gap, TickTime now, const Apply& apply) {
  const AgentPosition behind{0, gap.seq, gap.lines_before, gap.time};
  return take_next(hold, {behind, true}, now, apply, [&](AgentRow& row) -> std::optional<Lines> {
    if (gap.first != row.position.seq + 1 || gap.lines_before < row.position.lines) return std::nullopt;
    add_gap(row, gap);
    row.position = {row.position.epoch, gap.seq, gap.lines_before, gap.time};
    return Lines::kNone;
  });
}

// The epoch of `frame` is that of the connection.
AgentTake AgentRegistry::take_next(const Hold& hold, FreshFrames::Frame frame, TickTime now,
                                   const Apply& apply,
                                   const std::function<std::optional<Lines>(AgentRow& row)>& advance) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return AgentTake::kReplaced;
  AgentRow next = *agent.offer;
  frame.behind.epoch = next.position.epoch;
  if (frame.behind.seq <= next.position.seq)
    return take_again(agent.fresh.compare(frame), agent.row, next, now);
  const std::optional<Lines> lines = advance(next);
  if (!lines) return AgentTake::kGap;
  if (!admit(agent, agent.offer->position, hold.sender, now)) return AgentTake::kLimit;
  next.seen = now.wall;
  bool is_marked = false;
  uint64_t durable_seq = 0;
  apply(*lines, [&](int parity, const RefusalCounts& refused) {
    for (const uint64_t count : refused) next.lines_refused += count;
    MutexLock lock(mutex_);
    noted_[static_cast<size_t>(parity)].insert_or_assign(next.id, next);
    agent.noted = next;
    newest_ = std::max(newest_, next.newest);
    durable_seq = agent.durable.seq;
    note_time(now.steady);
    for (size_t i = 0; agent.connected && i < refused.size(); ++i)
      agent.connected->contact.refused[i] += refused[i];
    is_marked = true;
  });
  SM_CHECK(is_marked);
  gaps_.add(next.gaps - agent.row.gaps);
  lines_lost_.add(next.lines_lost - agent.row.lines_lost);
  agent.fresh.note(frame, durable_seq);
  *agent.offer = next;
  agent.row = std::move(next);
  return AgentTake::kTaken;
}

// Of a number that was taken before, by this connection or by one that it has replaced.
AgentTake AgentRegistry::take_again(FreshFrames::Repeat repeat, const AgentRow& known, const AgentRow& other,
                                    TickTime now) {
  switch (repeat) {
    case FreshFrames::Repeat::kSame:
      again_.add();
      return AgentTake::kAgain;
    case FreshFrames::Repeat::kOther: {
      MutexLock lock(mutex_);
      if (conflicts_.note(AgentConflict::Kind::kClones, known.id, {known.host, known.peer},
                          {other.host, other.peer}, now.steady))
        clones_.add();
      return AgentTake::kOther;
    }
    case FreshFrames::Repeat::kUnknown:
      break;
  }
  return AgentTake::kGap;
}

// Gives the agent a place, unless it has one.
bool AgentRegistry::admit(Agent& agent, const AgentPosition& position, const LineSender& sender,
                          TickTime now) {
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

void AgentRegistry::clock_seen(TickTime now, bool in_doubt) {
  MutexLock lock(mutex_);
  seen_ = now;
  is_clock_in_doubt_ = in_doubt;
}

bool AgentRegistry::is_clock_in_doubt(TickTime now) const {
  MutexLock lock(mutex_);
  if (!seen_ || is_clock_in_doubt_) return is_clock_in_doubt_;
  const auto passed = std::chrono::round<Duration>(now.boot - seen_->boot);
  return std::chrono::abs(now.wall - seen_->wall - passed) > ClockGuard::kStepMin;
}

Timestamp AgentRegistry::time_for_lines(TickTime now) const {
  if (!is_clock_in_doubt(now)) return now.wall;
  MutexLock lock(mutex_);
  return std::min(now.wall, retained_);
}

void AgentRegistry::add_to(int parity, StoreBatch& batch, Timestamp now) {
  MutexLock lock(mutex_);
  retained_ = now;
  auto& noted = noted_[static_cast<size_t>(parity)];
  for (auto& [id, row] : noted) batch.agents.push_back(std::move(row));
  noted.clear();
  find_unseen(now);
  forget_leaving(batch);
}

void AgentRegistry::committed(const StoreBatch& batch) {
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
