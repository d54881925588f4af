// AgentHost: who takes the batches of agents: a server, or an agent that passes them on to servers.
// AgentStream speaks the protocol for it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/tick_time.h"
#include "ingest/agents/agent_observer.h"
#include "proto/agent/frames.h"
#include "proto/agent_position.h"
#include "proto/line_sender.h"

namespace statmill {

// The outcome of a batch or a gap.
enum class FrameResult : uint8_t {
  kApplied,
  kRepeat,      // it was accepted before
  kOtherBatch,  // a different batch with this number was accepted before: a clone sent it
  kGap,         // it does not follow what was accepted, or is part of what the welcome reported durable
  kReplaced,    // another connection speaks for the agent
  kLimit,       // the agent is new, and no more agents are admitted
  kInvalid,     // its tags are not in canonical form
};

// The right of one connection to speak for an agent. Its destruction ends the right.
class AgentConnection {
 public:
  virtual ~AgentConnection() = default;
  // Returns false if there is no room for a batch; the agent then waits.
  virtual bool has_room() const = 0;
  // Accepts a batch, or a gap in place of batches, if it extends what was accepted from the agent.
  virtual FrameResult accept(const BatchFrame& batch, TickTime now) = 0;
  virtual FrameResult accept(const GapFrame& gap, TickTime now) = 0;
  // Stores what the agent reports of itself. `clock_ahead` is nullopt if its clock could not be compared.
  virtual void note_status(const StatusFrame& status, std::optional<Duration> clock_ahead) = 0;
};

// Returns true if `hello` was sent before the hello of the current connection, whose boot id and clock these
// are. A hello arrives late if a network or a proxy holds it back while the agent, or a program started after
// it, connects again. It must not replace the connection: its sender has given up, and the agent would take
// itself for a clone. Clocks that differ by more were set.
inline bool is_late_hello(const HelloFrame& hello, std::string_view boot_id, Timestamp clock) {
  constexpr Duration kLateMax = std::chrono::minutes(1);
  return !boot_id.empty() && hello.boot_id == boot_id && hello.clock < clock &&
         hello.clock >= clock - kLateMax;
}

class AgentHost {
 public:
  virtual ~AgentHost() = default;

  struct Opened {
    std::unique_ptr<AgentConnection> connection;
    // In the hello's epoch. If a run is accepted, but not durable, it has an empty run that begins there.
    AgentProgress durable;
    uint64_t lines_refused = 0;  // in all durable batches of the agent
    bool accepts_ahead = true;   // batches may come ahead of a backlog
  };
  // Makes a connection speak for the agent of the hello; a previous connection is notified through its
  // observer. `observer` is called until the connection is destroyed. Refuses with kFenced, kOwner, kLimit,
  // kProtocol or kStopping (try again, also for a late hello).
  virtual std::variant<Opened, RefuseReason> open(const HelloFrame& hello, const LineSender& sender,
                                                  const std::shared_ptr<AgentObserver>& observer,
                                                  TickTime now) = 0;
  // Notes an agent that is refused because of its version.
  virtual void note_outdated(const HelloFrame& hello, const LineSender& sender, Timestamp now) = 0;

  struct ClockLimit {
    Duration difference_max;  // an agent whose clock differs by more is refused
    bool is_suspect = false;  // the host's own clock may be the wrong one
  };
  virtual ClockLimit clock_limit(TickTime now) const = 0;

  // Ends what the host does on its thread apart from its connections. Called once, on that thread, before the
  // connections are stopped.
  virtual void stop() {}
};

}  // namespace statmill
