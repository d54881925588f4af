// See agent_book.h.
#include "server/agents/agent_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace statmill {

// Its own lock is held while a batch of it is applied, so that of two connections one has it, and the other
// then finds it taken. The book's lock comes inside it.
struct AgentBook::Agent {
  Mutex mutex;
  AgentRow row GUARDED_BY(mutex);             // as taken
  uint64_t connection GUARDED_BY(mutex) = 0;  // that speaks for it; 0: none

  // Under the book's lock.
  AgentRow noted;  // the same as `row`, for those who must not wait
  AgentPosition durable;
  bool is_kept = false;                   // the store has a row of it, or will
  std::shared_ptr<AgentWatcher> watcher;  // of that connection
};

namespace {

// Of a numbering that begins anew.
AgentPosition start_of(uint32_t epoch, Timestamp time) { return {epoch, 0, 0, time}; }

void add_gap(AgentRow& row, const GapFrame& frame) {
  const AgentPosition& before = row.position;
  const uint64_t lines = frame.lines_before - before.lines;
  ++row.gaps;
  row.lines_lost += lines;
  if (row.last_gaps.size() == AgentRow::kGapsKept) row.last_gaps.erase(row.last_gaps.begin());
  row.last_gaps.push_back({before.seq + 1, frame.seq, lines, frame.reason, before.time, frame.time});
}

}  // namespace

AgentBook::AgentBook(const AgentLimits& limits, Registry& registry)
    : limits_(limits),
      taken_(registry.counter("statmill.agent_batches", "Batches of agents taken.")),
      again_(
          registry.counter("statmill.agent_batches_again",
                           "Batches of agents that were in already: acknowledged again, not taken again.")),
      gaps_(registry.counter("statmill.agent_gaps", "Gaps in the batches of agents.")),
      lines_lost_(registry.counter("statmill.agent_lines_lost", "Lines that agents had to give up.")),
      replaced_(registry.counter("statmill.agent_connections_replaced",
                                 "Connections closed because another came for the same agent.")),
      forgotten_(registry.counter("statmill.agents_forgotten", "Agents not seen for too long to be known.")) {
}

void AgentBook::restore(std::vector<AgentRow> rows) {
  MutexLock lock(mutex_);
  for (AgentRow& row : rows) {
    auto agent = std::make_shared<Agent>();
    agent->durable = row.position;
    agent->is_kept = true;
    agent->noted = row;
    {
      MutexLock own(agent->mutex);
      agent->row = std::move(row);
    }
    agents_.insert_or_assign(agent->noted.id, std::move(agent));
  }
}

std::shared_ptr<AgentBook::Agent> AgentBook::find_or_make(const HelloFrame& hello) {
  MutexLock lock(mutex_);
  const auto found = agents_.find(hello.id);
  if (found != agents_.end()) return found->second;
  if (agents_.size() >= limits_.agents_max) return nullptr;
  auto agent = std::make_shared<Agent>();
  agent->noted.id = hello.id;
  {
    MutexLock own(agent->mutex);
    agent->row.id = hello.id;
  }
  return agents_.emplace(hello.id, std::move(agent)).first->second;
}

std::variant<AgentBook::Opened, RefuseReason> AgentBook::open(const HelloFrame& hello,
                                                              const std::shared_ptr<AgentWatcher>& watcher,
                                                              Timestamp now) {
  const std::shared_ptr<Agent> agent = find_or_make(hello);
  if (!agent) return RefuseReason::kLimit;
  Opened opened;
  std::shared_ptr<AgentWatcher> before;
  {
    MutexLock own(agent->mutex);
    AgentRow& row = agent->row;
    if (hello.acknowledged.epoch < row.position.epoch) return RefuseReason::kFenced;
    if (hello.acknowledged.epoch > row.position.epoch)
      row.position = start_of(hello.acknowledged.epoch, row.position.time);
    row.is_ephemeral = hello.is_ephemeral;
    row.host = hello.host;
    row.seen = now;
    MutexLock lock(mutex_);
    if (agent->durable.epoch < hello.acknowledged.epoch) agent->durable = row.position;
    agent->noted = row;
    agents_[hello.id] = agent;  // it may have been forgotten meanwhile
    agent->connection = ++last_connection_;
    before = std::exchange(agent->watcher, watcher);
    now_ = std::max(now_, now);
    opened = {{agent, agent->connection}, agent->durable};
  }
  if (before) {
    replaced_.add();
    before->replaced();
  }
  return opened;
}

void AgentBook::close(const Hold& hold) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return;
  agent.connection = 0;
  MutexLock lock(mutex_);
  agent.watcher.reset();
  if (!agent.is_kept) agents_.erase(agent.row.id);  // it has said nothing that is to be kept
}

AgentTake AgentBook::take(const Hold& hold, const BatchFrame& batch, Timestamp now, const Apply& apply) {
  const AgentTake take = take_next(hold, batch.seq, now, apply, [&](AgentRow& row) {
    if (batch.seq != row.position.seq + 1 || batch.lines_before != row.position.lines) return false;
    row.position = {row.position.epoch, batch.seq, batch.lines_before + batch.lines, batch.time};
    return true;
  });
  if (take == AgentTake::kTaken) taken_.add();
  return take;
}

AgentTake AgentBook::take(const Hold& hold, const GapFrame& gap, Timestamp now, const Apply& apply) {
  uint64_t lines = 0;
  const AgentTake take = take_next(hold, gap.seq, now, apply, [&](AgentRow& row) {
    if (gap.first != row.position.seq + 1 || gap.lines_before < row.position.lines) return false;
    lines = gap.lines_before - row.position.lines;
    add_gap(row, gap);
    row.position = {row.position.epoch, gap.seq, gap.lines_before, gap.time};
    return true;
  });
  if (take != AgentTake::kTaken) return take;
  gaps_.add();
  lines_lost_.add(lines);
  return take;
}

AgentTake AgentBook::take_next(const Hold& hold, uint64_t seq, Timestamp now, const Apply& apply,
                               const std::function<bool(AgentRow& row)>& advance) {
  Agent& agent = *hold.agent;
  MutexLock own(agent.mutex);
  if (agent.connection != hold.connection) return AgentTake::kReplaced;
  if (seq <= agent.row.position.seq) {
    again_.add();
    return AgentTake::kAgain;
  }
  AgentRow next = agent.row;
  if (!advance(next)) return AgentTake::kGap;
  next.seen = now;
  bool is_marked = false;
  apply([&](int parity) {
    MutexLock lock(mutex_);
    noted_[static_cast<size_t>(parity)].insert_or_assign(next.id, next);
    agent.noted = next;
    agent.is_kept = true;
    now_ = std::max(now_, now);
    is_marked = true;
  });
  SM_CHECK(is_marked);
  agent.row = std::move(next);
  return AgentTake::kTaken;
}

void AgentBook::ride(int parity, StoreBatch& batch) {
  MutexLock lock(mutex_);
  auto& noted = noted_[static_cast<size_t>(parity)];
  for (auto& [id, row] : noted) batch.agents.push_back(std::move(row));
  noted.clear();
  if (now_ >= next_forget_) forget_unseen(batch);
}

void AgentBook::forget_unseen(StoreBatch& batch) {
  next_forget_ = now_ + kForgetInterval;
  for (auto it = agents_.begin(); it != agents_.end();) {
    const Agent& agent = *it->second;
    const Duration kept = agent.noted.is_ephemeral ? limits_.ephemeral_kept : limits_.kept;
    if (agent.watcher || agent.noted.seen + kept >= now_ || agent.durable != agent.noted.position) {
      ++it;
      continue;
    }
    batch.forgotten_agents.push_back(it->first);
    forgotten_.add();
    it = agents_.erase(it);
  }
}

void AgentBook::committed(const StoreBatch& batch) {
  std::vector<std::pair<std::shared_ptr<AgentWatcher>, uint64_t>> told;
  {
    MutexLock lock(mutex_);
    for (const AgentRow& row : batch.agents) {
      const auto found = agents_.find(row.id);
      if (found == agents_.end()) continue;
      Agent& agent = *found->second;
      if (row.position.epoch != agent.durable.epoch) continue;  // its numbering has begun anew meanwhile
      agent.durable = row.position;
      if (agent.watcher) told.emplace_back(agent.watcher, row.position.seq);
    }
  }
  for (const auto& [watcher, seq] : told) watcher->durable(seq);
}

std::vector<AgentBook::Info> AgentBook::list(size_t limit) const {
  std::vector<Info> agents;
  {
    MutexLock lock(mutex_);
    agents.reserve(agents_.size());
    for (const auto& [id, agent] : agents_)
      agents.push_back({agent->noted, agent->durable, agent->watcher != nullptr});
  }
  std::sort(agents.begin(), agents.end(), [](const Info& a, const Info& b) {
    return std::tie(a.row.host, a.row.id) < std::tie(b.row.host, b.row.id);
  });
  if (agents.size() > limit) agents.resize(limit);
  return agents;
}

size_t AgentBook::count() const {
  MutexLock lock(mutex_);
  return agents_.size();
}

size_t AgentBook::connected() const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(std::count_if(
      agents_.begin(), agents_.end(), [](const auto& entry) { return entry.second->watcher != nullptr; }));
}

}  // namespace statmill
