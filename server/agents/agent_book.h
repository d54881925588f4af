// AgentBook: how far each agent's batches are in, and who speaks for it now.
//
// A batch and the agent's new position are noted in one epoch of the table, so they go into one batch of the
// store: whatever instant the server dies at, its agent learns at the next hello which batches to send again,
// and none counts twice (design.md, invariant A).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "proto/agent_frames.h"
#include "server/tick/tick_rider.h"
#include "statmill/registry.h"
#include "storage/agent_row.h"

namespace statmill {

// A connection, as the book sees it. Called on any thread, never under a lock of the book's.
class AgentWatcher {
 public:
  virtual ~AgentWatcher() = default;
  // All batches up to that one are durable.
  virtual void durable(uint64_t seq) = 0;
  // Another connection speaks for the agent now.
  virtual void replaced() = 0;
};

struct AgentLimits {
  size_t agents_max = 100'000;                       // --agent.limit
  Duration kept = std::chrono::hours(24) * 365 * 6;  // an agent not seen for longer is forgotten
  Duration ephemeral_kept = std::chrono::hours(24);  // the same of one without a disk
};

// What became of a frame.
enum class AgentTake : uint8_t {
  kTaken,
  kAgain,     // it is in already
  kGap,       // it does not follow what is in
  kReplaced,  // another connection speaks for the agent
};

// Thread-safe.
class AgentBook final : public TickRider {
 public:
  // `registry` must outlive it.
  AgentBook(const AgentLimits& limits, Registry& registry);

  // What the store has; before any other thread.
  void restore(std::vector<AgentRow> rows);

  struct Agent;
  // What lets a connection speak for an agent.
  struct Hold {
    std::shared_ptr<Agent> agent;
    uint64_t connection = 0;
  };
  struct Opened {
    Hold hold;
    AgentPosition durable;  // of the epoch of the hello
  };
  // A connection speaks for an agent from now on; one that did before is told. Refused: kFenced, kLimit.
  // Waits while a batch of the agent is being applied.
  std::variant<Opened, RefuseReason> open(const HelloFrame& hello,
                                          const std::shared_ptr<AgentWatcher>& watcher, Timestamp now);
  void close(const Hold& hold);

  // Applies samples and calls the mark it is given in the epoch that takes them, once.
  using Apply = std::function<void(const std::function<void(int parity)>& mark)>;
  // Takes a batch, or a gap in the place of batches, if it is what follows: then `apply` is called, once.
  AgentTake take(const Hold& hold, const BatchFrame& batch, Timestamp now, const Apply& apply);
  AgentTake take(const Hold& hold, const GapFrame& gap, Timestamp now, const Apply& apply);

  void ride(int parity, StoreBatch& batch) override;
  void committed(const StoreBatch& batch) override;

  struct Info {
    AgentRow row;  // as taken
    AgentPosition durable;
    bool is_connected = false;
  };
  // By host, then id; at most `limit`.
  std::vector<Info> list(size_t limit) const;
  size_t count() const;
  size_t connected() const;

 private:
  AgentTake take_next(const Hold& hold, uint64_t seq, Timestamp now, const Apply& apply,
                      const std::function<bool(AgentRow& row)>& advance);
  std::shared_ptr<Agent> find_or_make(const HelloFrame& hello);
  void forget_unseen(StoreBatch& batch) REQUIRES(mutex_);

  static constexpr Duration kForgetInterval = std::chrono::minutes(1);

  const AgentLimits limits_;
  mutable Mutex mutex_;  // inside an agent's and the table's gate; nothing is locked inside it
  std::map<AgentId, std::shared_ptr<Agent>> agents_ GUARDED_BY(mutex_);
  // By parity of the epoch: rows as they were when its last batch of each agent was in.
  std::array<std::map<AgentId, AgentRow>, 2> noted_ GUARDED_BY(mutex_);
  uint64_t last_connection_ GUARDED_BY(mutex_) = 0;
  Timestamp now_ GUARDED_BY(mutex_){};  // the latest that a connection told
  Timestamp next_forget_ GUARDED_BY(mutex_){};
  Counter& taken_;
  Counter& again_;
  Counter& gaps_;
  Counter& lines_lost_;
  Counter& replaced_;
  Counter& forgotten_;
};

}  // namespace statmill
