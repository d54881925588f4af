// AgentStream: the server's side of one agent's connection, without the connection: bytes in, bytes out
// (proto/PROTOCOL.md, "The agent stream"). It knows no socket, no thread and no clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "proto/agent/frames.h"
#include "proto/line_sender.h"
#include "server/agents/agent_lines.h"
#include "server/agents/agent_registry.h"

namespace statmill {

// Where the lines of a batch go.
class AgentIntake {
 public:
  virtual ~AgentIntake() = default;
  // Whether there is room for a batch; if not, the agent waits.
  virtual bool has_room() const = 0;
  // Does with the lines what they are for, and calls `mark` in the epoch that takes them, once, even if none
  // is left.
  virtual void take(const AgentLines& lines, const AgentRegistry::Mark& mark) = 0;
};

// Confined to one thread.
class AgentStream {
 public:
  struct Services {  // all must outlive it
    AgentRegistry& book;
    AgentIntake& intake;
    const std::string& token;  // that every agent must know; empty: none
  };
  AgentStream(const Services& services, const LineSender& sender) : services_(services), sender_(sender) {}
  ~AgentStream();
  AgentStream(const AgentStream&) = delete;
  AgentStream& operator=(const AgentStream&) = delete;

  // Who is to be told of the agent; must be set before the first receive().
  void set_watcher(std::weak_ptr<AgentWatcher> watcher) { watcher_ = std::move(watcher); }

  // Takes the frames that are whole, and says how many bytes they were: the caller keeps the others, and
  // gives them again with what comes behind them. Fewer than it could when waits_for_room().
  size_t receive(std::string_view bytes, TickTime now);
  bool waits_for_room() const { return waits_for_room_; }
  // All batches up to ack.seq are durable. Acknowledged is what this connection has sent of them: the others
  // may be a clone's.
  void durable(AckFrame ack);
  // Says why and ends.
  void refuse(RefuseReason reason, std::string_view text);
  void refuse(RefuseReason reason);  // with the usual words

  // What is to be sent, since the call before.
  std::string take_output();
  // No more is taken; the connection ends when its output is sent.
  bool is_over() const { return is_over_; }
  bool has_opened() const { return has_opened_; }
  // Speaks for its agent no more.
  void leave();

 private:
  void take(const FrameRead& frame, TickTime now);
  void take_hello(const HelloFrame& hello, TickTime now);
  void take_batch(const BatchFrame& batch, TickTime now);
  void take_gap(const GapFrame& gap, TickTime now);
  void take_status(const StatusFrame& status, TickTime now);
  AgentRegistry::Apply apply_to(AgentLines lines);
  bool refuse_wrong_clock(Timestamp clock, TickTime now);
  void answer(AgentTake take, uint64_t seq);

  const Services services_;
  const LineSender sender_;
  std::weak_ptr<AgentWatcher> watcher_;
  std::optional<AgentRegistry::Hold> hold_;
  struct {
    Timestamp said;
    SteadyTime at;  // by the boot-time clock, which takes no steps
  } clock_{};       // of the agent, when it was last compared with the server's
  AckFrame durable_;
  uint64_t heard_seq_ = 0;  // up to there this connection has said what is in, or was told in the welcome
  std::string output_;
  bool waits_for_room_ = false;
  bool has_waited_ = false;  // since the last status: what it says of the clock is old
  bool has_opened_ = false;
  bool owes_ack_ = false;  // of durable_: one for all that came due since the last output
  bool is_over_ = false;
};

}  // namespace statmill
