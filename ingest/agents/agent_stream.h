// AgentStream: the receiving side of the protocol on one agent's connection, from bytes to bytes
// (proto/PROTOCOL.md, "The agent stream"). It uses no socket, thread or clock.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/tick_time.h"
#include "ingest/agents/agent_host.h"
#include "ingest/agents/agent_log.h"
#include "proto/agent/frames.h"
#include "proto/line_sender.h"

namespace statmill {

// Confined to one thread.
class AgentStream {
 public:
  struct Services {  // all must outlive it
    AgentHost& host;
    std::function<std::string()> token;  // that every agent must present now; an empty text: none is required
  };
  AgentStream(const Services& services, const LineSender& sender) : services_(services), sender_(sender) {}
  ~AgentStream();
  AgentStream(const AgentStream&) = delete;
  AgentStream& operator=(const AgentStream&) = delete;

  // Sets the observer that the host calls about this agent. Must be called before receive().
  void set_observer(std::weak_ptr<AgentObserver> observer) { observer_ = std::move(observer); }

  // Handles the complete frames at the start of `bytes` and returns their size. The caller keeps the other
  // bytes and passes them again, followed by new ones. Stops early if waits_for_room().
  size_t receive(std::string_view bytes, TickTime now);
  bool waits_for_room() const { return waits_for_room_; }
  // All batches up to ack.seq are durable, and the run up to ack.ahead. Acknowledges those that this
  // connection has sent: the others may be a clone's.
  void on_durable(AckFrame ack);
  // Sends the reason and ends the stream.
  void refuse(RefuseReason reason, std::string_view text);
  void refuse(RefuseReason reason);  // with the standard text for the reason

  // Returns the bytes to send since the last call.
  std::string pop_output();
  // Returns true if no more input is handled. The caller closes the connection after sending the output.
  bool is_over() const { return is_over_; }
  bool has_opened() const { return has_opened_; }  // a welcome was sent
  // Returns what the hello said. All texts are empty before a hello with printable texts.
  const AgentLog::Visitor& visitor() const { return visitor_; }
  // Returns the reason and text that were sent; nullopt if the agent was not refused.
  const std::optional<std::pair<RefuseReason, std::string>>& refusal() const { return refusal_; }
  // Ends the stream and stops speaking for the agent.
  void close();

 private:
  void handle_frame(const FrameRead& frame, TickTime now);
  void handle_hello(const HelloFrame& hello, TickTime now);
  void handle_batch(const BatchFrame& batch, TickTime now);
  void handle_gap(const GapFrame& gap, TickTime now);
  void handle_status(const StatusFrame& status, TickTime now);
  bool refuse_wrong_clock(Timestamp clock, TickTime now);
  bool answer(FrameResult result);
  AckFrame ack_due() const;

  const Services services_;
  const LineSender sender_;
  std::weak_ptr<AgentObserver> observer_;
  std::unique_ptr<AgentConnection> connection_;  // null before the welcome, and at the end
  struct {
    Timestamp reading;
    SteadyTime at;   // by the boot-time clock, which never steps
  } agent_clock_{};  // the agent's clock when it was last compared with the server's
  AgentLog::Visitor visitor_;
  std::optional<std::pair<RefuseReason, std::string>> refusal_;
  AckFrame durable_;
  AgentProgress sent_;  // what this connection has sent, or its welcome named
  std::string output_;
  bool waits_for_room_ = false;
  bool has_waited_ = false;  // since the last status frame: the clock reading of the next one is out of date
  bool has_opened_ = false;
  bool owes_ack_ = false;  // the next output acknowledges durable_
  bool is_over_ = false;
};

}  // namespace statmill
