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
      accepted_(registry.counter("statmill.agent_batches", "Batches of agents accepted.")),
      repeated_(registry.counter("statmill.agent_batches_repeated",
                                 "Batches that agents sent again: acknowledged, not counted twice.")),
      gaps_(registry.counter("statmill.agent_gaps", "Gaps in the batches of agents.")),
      lines_lost_(registry.counter("statmill.agent_lines_lost",
                                   "Lines that agents lost before they could send them.")),
      replaced_(registry.counter("statmill.agent_connections_replaced",
                                 "Connections closed because the same agent connected again.")),
      clones_(
          registry.counter("statmill.agent_clones",
                           "Times that two agents were found to share an id: three replacements within 10 "
                           "minutes.")),
      wrong_owner_(
          registry.counter("statmill.agent_connections_wrong_owner",
                           "Connections refused because the id belongs to an agent with another secret.")),
      limited_(registry.counter("statmill.agents_limited",
                                "New agents refused by --agent.limit or --agent.new_per_minute.")),
      outdated_(registry.counter("statmill.agent_connections_outdated",
                                 "Connections refused because the agent speaks another protocol version.")),
      forgotten_(registry.counter("statmill.agents_forgotten", "Agents forgotten, for any reason.")),
      evicted_(registry.counter("statmill.agents_evicted", "Agents forgotten to make room for a new one.")) {}

void AgentRegistry::restore(AgentRows rows) {
  MutexLock lock(mutex_);
  forgotten_until_ = rows.forgotten_until;
  for (AgentRow& row : rows.rows) {
    auto agent = std::make_shared<Agent>();
    agent->durable = row.progress();
    agent->durable_lines_refused = row.lines_refused;
    agent->is_registered = true;
    agent->row_copy = row;
    newest_batch_ = std::max(newest_batch_, row.newest);
    {
      MutexLock own(agent->mutex);
      agent->row = std::move(row);
    }
    agents_.insert_or_assign(agent->row_copy.id, std::move(agent));
  }
  registered_ = agents_.size();
}

void AgentRegistry::note_time(SteadyTime now) {
  if (!started_) started_ = now;
  now_ = std::max(now_, now);
}

FrameResult AgentRegistry::accept(const Lease& lease, const BatchFrame& batch, TickTime now,
                                  const ApplyLines& apply) {
  const AgentPosition end{0, batch.seq, batch.lines_before + batch.lines, batch.time};
  const auto advance = [&](AgentRow& row) -> std::optional<LinesAction> {
    const Timestamp before = row.before(batch.seq).time;
    if (!row.extend(batch.seq, batch.lines_before, end)) return std::nullopt;
    if (batch.time > now.wall + limits_.clock_difference_max) return LinesAction::kRefuse;
    if (row.uncertain_until && batch.time <= *row.uncertain_until) {
      add_gap(row, {0, batch.seq - 1, batch.lines_before, before},
              {batch.seq, batch.seq, end.lines, GapReason::kEvicted, batch.time});
      return LinesAction::kSkip;
    }
    row.newest = std::max(row.newest, batch.time);
    return LinesAction::kApply;
  };
  const FrameResult result = accept_next(lease, {end}, now, apply, advance);
  if (result == FrameResult::kApplied) accepted_.add();
  return result;
}

FrameResult AgentRegistry::accept(const Lease& lease, const GapFrame& gap, TickTime now,
                                  const ApplyLines& apply) {
  const AgentPosition end{0, gap.seq, gap.lines_before, gap.time};
  return accept_next(lease, {end, true}, now, apply, [&](AgentRow& row) -> std::optional<LinesAction> {
    const AgentPosition before = row.before(gap.first);
    if (!row.extend(gap.first, std::nullopt, end)) return std::nullopt;
    add_gap(row, before, gap);
    return LinesAction::kSkip;
  });
}

// Sets the epoch of `frame` to the connection's.
FrameResult AgentRegistry::accept_next(
    const Lease& lease, RecentFrames::Frame frame, TickTime now, const ApplyLines& apply,
    const std::function<std::optional<LinesAction>(AgentRow& row)>& advance) {
  Agent& agent = *lease.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != lease.connection) return FrameResult::kReplaced;
  AgentRow next = *agent.provisional;
  frame.end.epoch = next.position.epoch;
  if (next.contains(frame.end.seq)) return answer_repeat(agent.recent.compare(frame), agent.row, next, now);
  const std::optional<LinesAction> action = advance(next);
  if (!action) return FrameResult::kGap;
  if (!admit(agent, agent.provisional->progress(), lease.sender, now)) return FrameResult::kLimit;
  next.seen = now.wall;
  bool was_applied = false;
  AgentProgress durable;
  apply(*action, [&](int parity, const RefusalCounts& refused) {
    for (const uint64_t count : refused) next.lines_refused += count;
    MutexLock lock(mutex_);
    unsaved_rows_[static_cast<size_t>(parity)].insert_or_assign(next.id, next);
    agent.row_copy = next;
    newest_batch_ = std::max(newest_batch_, next.newest);
    durable = agent.durable;
    note_time(now.steady);
    for (size_t i = 0; agent.connected && i < refused.size(); ++i)
      agent.connected->info.refused[i] += refused[i];
    was_applied = true;
  });
  SM_CHECK(was_applied);
  gaps_.add(next.gaps - agent.row.gaps);
  lines_lost_.add(next.lines_lost - agent.row.lines_lost);
  agent.recent.note(frame, durable);
  *agent.provisional = next;
  agent.row = std::move(next);
  return FrameResult::kApplied;
}

// For a frame whose number was accepted before, on this connection or on one that it has replaced.
FrameResult AgentRegistry::answer_repeat(RecentFrames::Repeat repeat, const AgentRow& known,
                                         const AgentRow& other, TickTime now) {
  switch (repeat) {
    case RecentFrames::Repeat::kSame:
      repeated_.add();
      return FrameResult::kRepeat;
    case RecentFrames::Repeat::kOther: {
      MutexLock lock(mutex_);
      if (conflicts_.note(AgentConflict::Kind::kClones, known.id, {known.host, known.peer},
                          {other.host, other.peer}, now.steady))
        clones_.add();
      return FrameResult::kOtherBatch;
    }
    case RecentFrames::Repeat::kUnknown:
      break;
  }
  return FrameResult::kGap;
}

// Registers the agent, unless it is registered. Returns false if no more agents are admitted.
bool AgentRegistry::admit(Agent& agent, const AgentProgress& progress, const LineSender& sender,
                          TickTime now) {
  MutexLock lock(mutex_);
  // As its welcome reported.
  if (agent.durable.position.epoch != progress.position.epoch) agent.durable = progress;
  if (agent.is_registered) return true;
  Agent* const victim = registered_ < limits_.agents_max ? nullptr : find_victim(now);
  if (!new_agents_.has_room(sender, now.steady) || (registered_ >= limits_.agents_max && victim == nullptr)) {
    limited_.add();
    return false;
  }
  if (victim != nullptr) {
    schedule_forget(*victim);
    evicted_.add();
  }
  new_agents_.note(sender, now.steady);
  agent.is_registered = true;
  ++registered_;
  return true;
}

void AgentRegistry::clock_seen(TickTime now, bool in_doubt) {
  MutexLock lock(mutex_);
  last_tick_ = now;
  is_clock_suspect_ = in_doubt;
}

bool AgentRegistry::is_clock_suspect(TickTime now) const {
  MutexLock lock(mutex_);
  if (!last_tick_ || is_clock_suspect_) return is_clock_suspect_;
  const auto passed = std::chrono::round<Duration>(now.boot - last_tick_->boot);
  return std::chrono::abs(now.wall - last_tick_->wall - passed) > ClockGuard::kStepMin;
}

Timestamp AgentRegistry::time_for_lines(TickTime now) const {
  if (!is_clock_suspect(now)) return now.wall;
  MutexLock lock(mutex_);
  return std::min(now.wall, retention_time_);
}

void AgentRegistry::add_to(int parity, StoreBatch& batch, Timestamp now) {
  MutexLock lock(mutex_);
  retention_time_ = now;
  auto& rows = unsaved_rows_[static_cast<size_t>(parity)];
  for (auto& [id, row] : rows) batch.agents.push_back(std::move(row));
  rows.clear();
  schedule_unseen(now);
  forget_scheduled(batch);
}

void AgentRegistry::committed(const StoreBatch& batch) {
  std::vector<std::pair<std::shared_ptr<AgentObserver>, AckFrame>> acks;
  {
    MutexLock lock(mutex_);
    for (const AgentRow& row : batch.agents) {
      const auto found = agents_.find(row.id);
      if (found == agents_.end()) continue;
      Agent& agent = *found->second;
      // The agent may have started a new epoch since.
      if (row.position.epoch != agent.durable.position.epoch) continue;
      agent.durable = row.progress();
      agent.durable_lines_refused = row.lines_refused;
      // A connection is not notified of an epoch before its own.
      if (agent.connected && agent.connected->epoch == row.position.epoch)
        acks.emplace_back(agent.connected->observer,
                          AckFrame{row.position.seq, row.lines_refused, row.ahead ? row.ahead->last.seq : 0});
    }
  }
  for (const auto& [observer, ack] : acks) observer->on_durable(ack);
}

}  // namespace statmill
