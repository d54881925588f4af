// AgentRegistry: how far each agent's batches are in, and who speaks for it now.
//
// A batch and the agent's new position are noted in one epoch of the table, so they go into one batch of the
// store: whatever instant the server dies at, its agent learns at the next hello which batches to send again,
// and none counts twice (design.md, invariant A).
//
// What a hello says is provisional until a batch or a gap of its connection is taken: an epoch fences no
// other, and an agent without a batch has no place of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "proto/agent/frames.h"
#include "proto/line_sender.h"
#include "server/agents/agent_conflicts.h"
#include "server/agents/agent_info.h"
#include "server/agents/agent_limits.h"
#include "server/agents/agent_watcher.h"
#include "server/agents/fresh_frames.h"
#include "server/agents/new_agent_limit.h"
#include "server/tick/tick_participant.h"
#include "server/tick/tick_time.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// What became of a frame.
enum class AgentTake : uint8_t {
  kTaken,
  kAgain,     // it is in already
  kOther,     // another batch of its number is in: a clone's
  kGap,       // it does not follow what is in, or is before what the connection was told to be durable
  kReplaced,  // another connection speaks for the agent
  kLimit,     // it would make an agent for which there is no room
};

// Thread-safe.
class AgentRegistry final : public TickParticipant {
 public:
  // `registry` must outlive it.
  AgentRegistry(const AgentLimits& limits, Registry& registry);

  // What the store has; before any other thread.
  void restore(AgentRows rows);
  const AgentLimits& limits() const { return limits_; }

  struct Agent;
  // What lets a connection speak for an agent.
  struct Hold {
    std::shared_ptr<Agent> agent;
    uint64_t connection = 0;
    LineSender sender;
  };
  struct Opened {
    Hold hold;
    AgentPosition durable;       // of the epoch of the hello
    uint64_t lines_refused = 0;  // of the agent's batches that are durable
  };
  // A connection speaks for an agent from now on; one that did before is told. Refused: kFenced, kOwner,
  // kLimit, kStopping (the agent is being forgotten). Waits while a batch of the agent is being applied.
  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                          const std::shared_ptr<AgentWatcher>& watcher, TickTime now);
  void close(const Hold& hold);
  // What the connection's agent says of itself. None: the clock could not be measured.
  void note_status(const Hold& hold, const StatusFrame& status, std::optional<Duration> clock_ahead);

  // What is to become of the lines of a frame.
  enum class Lines : uint8_t {
    kApplied,
    kNone,     // there are none, or they may be in already
    kRefused,  // all: they were made while the agent's clock was wrong
  };
  // Does that, and calls the mark it is given in the epoch that takes the lines, once, with what was refused.
  using Mark = std::function<void(int parity, const RefusalCounts& refused)>;
  using Apply = std::function<void(Lines lines, const Mark& mark)>;
  // Takes a batch, or a gap in the place of batches, if it is what follows: then `apply` is called, once. A
  // batch that may be in already, since the server has forgotten its agent, is taken as a gap.
  AgentTake take(const Hold& hold, const BatchFrame& batch, TickTime now, const Apply& apply);
  AgentTake take(const Hold& hold, const GapFrame& gap, TickTime now, const Apply& apply);

  // Forgets the one agent whose id begins so, with the next tick; gives its row. From now on it is refused
  // until that is over. Errors: kNotFound; kInvalid if several ids begin so; kBusy if it is connected, unless
  // it is `even_connected`.
  struct ForgetRequest {
    std::string_view id;  // the first digits
    bool even_connected = false;
  };
  Result<AgentRow> forget(const ForgetRequest& request);

  void clock_seen(TickTime now, bool in_doubt) override;
  void add_to(int parity, StoreBatch& batch, Timestamp now) override;
  void committed(const StoreBatch& batch) override;

  // Whether the server's wall clock is in doubt: the last tick said so, or it has stepped since.
  bool is_clock_in_doubt(TickTime now) const;
  // The time by which lines are too old or not: the wall clock's; while that is in doubt, the time that
  // retention goes by if it is earlier.
  Timestamp time_for_lines(TickTime now) const;

  // By host, then id; at most `limit`.
  std::vector<AgentInfo> list(size_t limit) const;
  // Hosts of connected agents whose clocks differ from the server's by more than `limit`, the worst first.
  struct ClockDifference {
    std::string host;
    Duration ahead{};
  };
  std::vector<ClockDifference> clock_differences(Duration limit) const;
  Duration clock_difference_max() const;  // of connected agents, its size
  std::vector<AgentConflict> conflicts(SteadyTime now) const;
  size_t count() const;
  size_t connected() const;

 private:
  AgentTake take_next(const Hold& hold, FreshFrames::Frame frame, TickTime now, const Apply& apply,
                      const std::function<std::optional<Lines>(AgentRow& row)>& advance);
  AgentTake take_again(FreshFrames::Repeat repeat, const AgentRow& known, const AgentRow& other,
                       TickTime now);
  bool admit(Agent& agent, const AgentPosition& position, const LineSender& sender, TickTime now);
  void note_time(SteadyTime now) REQUIRES(mutex_);

  // Which connection speaks for an agent (agent_opening.cc).
  std::variant<std::shared_ptr<Agent>, RefuseReason> find_or_make(const HelloFrame& hello,
                                                                  const LineSender& sender, TickTime now);
  // None: the agent has been forgotten meanwhile.
  std::optional<std::variant<Opened, RefuseReason>> open_found(const std::shared_ptr<Agent>& agent,
                                                               const HelloFrame& hello,
                                                               const LineSender& sender,
                                                               const std::shared_ptr<AgentWatcher>& watcher,
                                                               TickTime now);

  // What is forgotten, and when (agent_keeping.cc).
  Result<std::shared_ptr<Agent>> find_one(std::string_view prefix) const;
  bool may_forget(SteadyTime now) const REQUIRES(mutex_);
  bool is_at_rest(const Agent& agent) const REQUIRES(mutex_);
  Agent* find_victim(TickTime now) REQUIRES(mutex_);
  void leave(Agent& agent) REQUIRES(mutex_);
  void find_unseen(Timestamp now) REQUIRES(mutex_);
  void forget_leaving(StoreBatch& batch) REQUIRES(mutex_);

  static constexpr Duration kForgetInterval = std::chrono::minutes(1);
  static constexpr Duration kVictimInterval = std::chrono::seconds(1);
  static constexpr size_t kVictimsFound = 256;  // by one look at all agents

  const AgentLimits limits_;
  mutable Mutex mutex_;  // inside an agent's and the table's gate; nothing is locked inside it
  std::map<AgentId, std::shared_ptr<Agent>> agents_ GUARDED_BY(mutex_);
  size_t kept_ GUARDED_BY(mutex_) = 0;  // of them, those with a place: a batch or a gap was taken
  // By parity of the epoch: rows as they were when its last batch of each agent was in.
  std::array<std::map<AgentId, AgentRow>, 2> noted_ GUARDED_BY(mutex_);
  std::set<AgentId> leaving_ GUARDED_BY(mutex_);  // forgotten with the next tick
  std::optional<Timestamp> forgotten_until_ GUARDED_BY(mutex_);
  std::vector<std::pair<Timestamp, AgentId>> victims_ GUARDED_BY(mutex_);  // the longest unseen last
  NewAgentLimit new_agents_ GUARDED_BY(mutex_);
  AgentConflicts conflicts_ GUARDED_BY(mutex_);
  uint64_t last_connection_ GUARDED_BY(mutex_) = 0;
  std::optional<SteadyTime> started_ GUARDED_BY(mutex_);  // when the first connection told the time
  SteadyTime now_ GUARDED_BY(mutex_){};                   // the latest that a connection told
  std::optional<TickTime> seen_ GUARDED_BY(mutex_);       // what the clocks showed at the last tick
  Timestamp retained_ GUARDED_BY(mutex_){};               // the time that retention went by then
  bool is_clock_in_doubt_ GUARDED_BY(mutex_) = false;     // it said so
  Timestamp newest_ GUARDED_BY(mutex_){};                 // of all batches that were taken
  SteadyTime next_forget_ GUARDED_BY(mutex_){};
  SteadyTime next_victims_ GUARDED_BY(mutex_){};
  Counter& taken_;
  Counter& again_;
  Counter& gaps_;
  Counter& lines_lost_;
  Counter& replaced_;
  Counter& clones_;
  Counter& wrong_owner_;
  Counter& limited_;
  Counter& forgotten_;
  Counter& evicted_;
};

}  // namespace statmill
