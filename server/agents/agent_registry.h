// AgentRegistry: which batches of each agent are accepted and durable, and which connection speaks for it.
//
// A batch's samples and the agent's new position are recorded in one epoch of the table, so they reach the
// store in one write batch. Whenever the server dies, the next hello learns which batches to send again, and
// none counts twice (invariant A).
//
// The claims of a hello stay provisional until a batch or gap of its connection is accepted: a hello alone
// fences no other connection and adds no agent to the store.
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
#include "base/tick_time.h"
#include "ingest/agents/agent_host.h"
#include "ingest/agents/agent_observer.h"
#include "ingest/line_intake.h"
#include "proto/agent/frames.h"
#include "proto/line_sender.h"
#include "server/agents/agent_conflicts.h"
#include "server/agents/agent_info.h"
#include "server/agents/agent_limits.h"
#include "server/agents/new_agent_limit.h"
#include "server/agents/outdated_agents.h"
#include "server/agents/recent_frames.h"
#include "server/tick/tick_participant.h"
#include "statmill/registry.h"
#include "storage/store.h"

namespace statmill {

// Thread-safe.
class AgentRegistry final : public TickParticipant {
 public:
  // `registry` must outlive it.
  AgentRegistry(const AgentLimits& limits, Registry& registry);

  // Loads the rows of the store. Requires: no other thread uses this object yet.
  void restore(AgentRows rows);
  const AgentLimits& limits() const { return limits_; }
  // Changes how long an agent that is not seen is remembered; at first limits().expiry.
  void set_expiry(Duration expiry) {
    MutexLock lock(mutex_);
    expiry_ = expiry;
  }

  struct Agent;
  // The right of one connection to speak for an agent, until another connection replaces it.
  struct Lease {
    std::shared_ptr<Agent> agent;
    uint64_t connection = 0;
    LineSender sender;
  };
  struct Opened {
    Lease lease;
    // In the hello's epoch. If a run is accepted, but not durable, it has an empty run that begins there.
    AgentProgress durable;
    uint64_t lines_refused = 0;  // in all durable batches of the agent
  };
  // Makes this connection speak for the agent; a previous connection is notified through its observer.
  // Refuses with kFenced, kOwner, kLimit or kStopping (the agent is being forgotten). Waits while a batch of
  // the same agent is being applied.
  std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                          const std::shared_ptr<AgentObserver>& observer, TickTime now);
  // Ends the lease. Does nothing if the connection has been replaced.
  void close(const Lease& lease);
  // Stores what the agent reports of itself. `clock_ahead` is nullopt if its clock could not be compared.
  void note_status(const Lease& lease, const StatusFrame& status, std::optional<Duration> clock_ahead);

  // Called once, in the epoch that the lines were applied in, with the samples refused.
  using OnApplied = std::function<void(int parity, const RefusalCounts& refused)>;
  // Performs the action and calls `on_applied` once.
  using ApplyLines = std::function<void(LinesAction action, const OnApplied& on_applied)>;
  // Accepts a batch, or a gap in place of batches, if it extends the agent's progress; calls `apply` once for
  // an accepted frame and not at all otherwise. A batch that may already be counted, because the server had
  // forgotten its agent, becomes a gap.
  FrameResult accept(const Lease& lease, const BatchFrame& batch, TickTime now, const ApplyLines& apply);
  FrameResult accept(const Lease& lease, const GapFrame& gap, TickTime now, const ApplyLines& apply);

  // Forgets one agent with the next tick and returns its row. Until then its connections are refused.
  // Errors: kNotFound; kInvalid if `id` matches several agents; kBusy if the agent is connected and
  // `even_connected` is false.
  struct ForgetRequest {
    std::string_view id;  // the first digits
    bool even_connected = false;
  };
  Result<AgentRow> forget(const ForgetRequest& request);

  void clock_seen(TickTime now, bool in_doubt) override;
  void add_to(int parity, StoreBatch& batch, Timestamp now) override;
  void committed(const StoreBatch& batch) override;

  // Returns true if the last tick doubted the server's wall clock, or if the clock has stepped since.
  bool is_clock_suspect(TickTime now) const;
  // Returns the time that decides whether a line is too old or too new: the wall clock, or, while that is
  // suspect, the time that retention goes by if it is earlier.
  Timestamp time_for_lines(TickTime now) const;

  // Returns at most `limit` agents that `accepts` accepts (all if it is empty), ordered by host, then id.
  using Accepts = std::function<bool(const AgentInfo&)>;
  std::vector<AgentInfo> list(size_t limit, const Accepts& accepts = {}) const;
  // A summary of one agent.
  struct AgentState {
    AgentId id{};
    std::string host;
    std::string version;
    bool is_connected = false;
    HostBoot boot;
    SharedSources sources;  // nullptr if it is not connected, or has not said
    uint64_t gaps = 0;
    std::optional<AgentGap> last_gap;
  };
  // Returns all agents, by id. Cost: a pass over them.
  std::vector<AgentState> states() const;
  struct ClockDifference {
    std::string host;
    Duration ahead{};  // of the server's clock; negative if it lags
  };
  // Returns connected agents whose clocks differ from the server's by more than `limit`, the worst first.
  std::vector<ClockDifference> clock_differences(Duration limit) const;
  // Returns the largest difference of a connected agent's clock, without its sign; 0 if none is connected.
  Duration clock_difference_max() const;
  std::vector<AgentConflict> conflicts(SteadyTime now) const;
  // How long after its last batch an agent that is not connected still counts as a sender of its host.
  static constexpr Duration kRecent = std::chrono::minutes(1);
  // Returns the hosts that several agents send for at the same time: each was heard of after the others had
  // connected, and is connected or was heard of within kRecent. So the new identity of an agent is no
  // conflict. At most `limit`, by host. Cost: a pass over all agents.
  std::vector<HostConflict> host_conflicts(Timestamp now, size_t limit) const;
  // Notes an agent that was refused because of its version, and returns those of the last minutes.
  void note_outdated(const HelloFrame& hello, const LineSender& sender, Timestamp now);
  std::vector<OutdatedAgent> outdated(Timestamp now) const;
  size_t count() const;  // including connected agents that have sent no batch yet
  size_t connected() const;

 private:
  FrameResult accept_next(const Lease& lease, RecentFrames::Frame frame, TickTime now,
                          const ApplyLines& apply,
                          const std::function<std::optional<LinesAction>(AgentRow& row)>& advance);
  FrameResult answer_repeat(RecentFrames::Repeat repeat, const AgentRow& known, const AgentRow& other,
                            TickTime now);
  bool admit(Agent& agent, const AgentProgress& progress, const LineSender& sender, TickTime now);
  void note_time(SteadyTime now) REQUIRES(mutex_);

  // Which connection speaks for an agent (agent_opening.cc).
  std::variant<std::shared_ptr<Agent>, RefuseReason> find_or_add(const HelloFrame& hello,
                                                                 const LineSender& sender, TickTime now);
  // Returns nullopt if the agent has been forgotten in the meantime.
  std::optional<std::variant<Opened, RefuseReason>> open_found(const std::shared_ptr<Agent>& agent,
                                                               const HelloFrame& hello,
                                                               const LineSender& sender,
                                                               const std::shared_ptr<AgentObserver>& observer,
                                                               TickTime now);

  // Which agents are forgotten, and when (agent_expiry.cc).
  Result<std::shared_ptr<Agent>> find_one(std::string_view prefix) const;
  bool may_forget(SteadyTime now) const REQUIRES(mutex_);
  bool is_idle(const Agent& agent) const REQUIRES(mutex_);
  Agent* find_victim(TickTime now) REQUIRES(mutex_);
  void schedule_forget(Agent& agent) REQUIRES(mutex_);
  void schedule_unseen(Timestamp now) REQUIRES(mutex_);
  void forget_scheduled(StoreBatch& batch) REQUIRES(mutex_);

  static constexpr Duration kForgetInterval = std::chrono::minutes(1);
  static constexpr Duration kVictimInterval = std::chrono::seconds(1);
  static constexpr size_t kVictimsFound = 256;  // per scan of all agents

  const AgentLimits limits_;
  Duration expiry_ GUARDED_BY(mutex_) = limits_.expiry;
  // Locked inside an agent's mutex and the table's gate; no other lock is acquired while it is held.
  mutable Mutex mutex_;
  std::map<AgentId, std::shared_ptr<Agent>> agents_ GUARDED_BY(mutex_);
  size_t registered_ GUARDED_BY(mutex_) = 0;  // agents that are Agent::is_registered
  // By parity of the epoch: the row of each agent after its last batch of that epoch.
  std::array<std::map<AgentId, AgentRow>, 2> unsaved_rows_ GUARDED_BY(mutex_);
  std::set<AgentId> forgetting_ GUARDED_BY(mutex_);  // to be forgotten with the next tick
  std::optional<Timestamp> forgotten_until_ GUARDED_BY(mutex_);
  std::vector<std::pair<Timestamp, AgentId>> victims_ GUARDED_BY(mutex_);  // the best victim is last
  NewAgentLimit new_agents_ GUARDED_BY(mutex_);
  AgentConflicts conflicts_ GUARDED_BY(mutex_);
  OutdatedAgents outdated_agents_ GUARDED_BY(mutex_);
  uint64_t last_connection_ GUARDED_BY(mutex_) = 0;
  std::optional<SteadyTime> started_ GUARDED_BY(mutex_);  // time of the first frame since the start
  SteadyTime now_ GUARDED_BY(mutex_){};                   // latest time of any frame
  std::optional<TickTime> last_tick_ GUARDED_BY(mutex_);  // what the clocks showed at the last tick
  Timestamp retention_time_ GUARDED_BY(mutex_){};         // the time that retention went by at the last tick
  bool is_clock_suspect_ GUARDED_BY(mutex_) = false;      // as the last tick reported
  Timestamp newest_batch_ GUARDED_BY(mutex_){};           // latest time of all accepted batches
  SteadyTime next_forget_ GUARDED_BY(mutex_){};
  SteadyTime next_victims_ GUARDED_BY(mutex_){};
  Counter& accepted_;
  Counter& repeated_;
  Counter& gaps_;
  Counter& lines_lost_;
  Counter& replaced_;
  Counter& clones_;
  Counter& wrong_owner_;
  Counter& limited_;
  Counter& outdated_;
  Counter& forgotten_;
  Counter& evicted_;
};

}  // namespace statmill
