// Delivery: the agent's side of the acknowledged stream to one server, as bytes in and bytes out
// (proto/PROTOCOL.md, "The agent stream"). It uses no socket and no clock.
//
// At each hello the server reports which batches it has, and the agent sends the rest again. What the spool
// has then is the backlog: each batch made later is sent before the next batch of it. If the server has
// batches that this agent did not make, or another agent uses the same id, the spool changes its identity.
//
// A gateway has a delivery for each agent whose batches it passes on. These have that agent's id and numbers,
// and only that agent can change its identity: here, a conflict ends the delivery.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/delivery/backlog_window.h"
#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "base/clock.h"
#include "proto/agent/frames.h"
#include "proto/host_boot.h"

namespace statmill {

struct DeliveryOptions {
  size_t server = 0;          // index of the server in the spool
  std::string host{};         // this host's display name
  std::string token{};        // the token that the server requires; empty: none
  bool is_ephemeral = false;  // the spool is in memory only
  size_t backlog_bytes =
      BacklogWindow::kBytesMin;  // of the backlog that may wait for their acknowledgment at first
  // Returns the current status of the collectors. The texts are valid until the next call. May be empty.
  std::function<std::vector<CollectorNote>()> collectors{};
  // Returns which kernel the host runs, and since when by its own clock. May be empty.
  std::function<HostBoot()> boot{};
  // Set if the batches are another agent's. They return what that agent says of itself, instead of all above;
  // the texts are valid until the next call. The delivery sets the other fields.
  std::function<HelloFrame(Timestamp now)> passed_hello{};
  // nullopt: it has not said anything yet.
  std::function<std::optional<StatusFrame>(Timestamp now)> passed_status{};
};

struct DeliveryStats {
  uint64_t batches_sent = 0;
  uint64_t lines_acknowledged = 0;
  // refused by the server among the acknowledged lines, since this object was constructed
  uint64_t lines_refused = 0;
  uint64_t gaps_reported = 0;
  uint64_t rewinds = 0;  // hellos after which acknowledged batches were sent again
};

// The readings of both clocks at one instant.
struct ClockReadings {
  Timestamp wall{};
  SteadyTime steady{};
};

// Confined to the spool's thread. The spool must outlive it.
class Delivery {
 public:
  static constexpr Duration kHelloLimit = std::chrono::seconds(10);    // from connecting to the welcome
  static constexpr Duration kSilenceLimit = std::chrono::seconds(60);  // while an acknowledgment is due
  // This many refusals with the reason `replaced` within kReplacedInterval mean that another agent has the
  // same identity.
  static constexpr size_t kReplacedMax = 3;
  static constexpr Duration kReplacedInterval = std::chrono::minutes(10);

  Delivery(Spool& spool, DeliveryOptions options);

  // Call when a connection is established.
  void connected(const ClockReadings& now);
  // Call with bytes that the server sent.
  void receive(std::string_view bytes, const ClockReadings& now);
  // Returns the bytes to write next, valid until the next call. Empty if there is nothing to send until more
  // batches are durable, the spool changes its identity, or the server sends something. Errors: those of the
  // spool's directory (the next call tries again), and that of check().
  Result<std::string_view> output(const ClockReadings& now);
  // Call after the first `bytes` of output() have been written to the connection.
  void consume_output(size_t bytes);
  // Call when the connection has ended.
  void disconnected() {
    state_ = State::kAway;
    next_ = {};
  }

  // Returns an error if the connection must be closed.
  Status check(SteadyTime now) const;
  // Returns when to call check() again even if nothing else happens; nullopt: no time.
  std::optional<SteadyTime> deadline() const;
  // True if the server has answered the hello of this connection.
  bool is_welcome() const { return state_ == State::kWelcome; }
  // True if the server has acknowledged everything that is durable in the spool.
  bool is_done() const { return acknowledged().position.seq >= spool_.durable_seq(); }
  // Reports to the spool again what the server has: that may be more than the spool had before.
  void report_acknowledged();
  // What the server has acknowledged of the spool's present identity.
  AgentProgress acknowledged() const { return id_ == spool_.id() ? acknowledged_ : AgentProgress(); }
  // Why the batches of another agent can never be delivered: an agent with this id made others, or has begun
  // a new numbering. Empty if they can.
  const std::string& conflict() const { return conflict_; }
  bool is_fenced() const { return is_fenced_; }  // the conflict is a later numbering of the agent
  // Returns whether the server has ended a connection for another one of the same id, since the last call or
  // welcome.
  bool take_replaced() { return std::exchange(was_replaced_, false); }
  // True if a server has said what it has, since this object was made.
  bool has_been_welcome() const { return clock_ahead_.has_value(); }
  // How many batches of the backlog the server has not acknowledged.
  uint64_t backlog_batches() const;
  // How far the wall clock was ahead of the server's at the last welcome; nullopt before the first. The error
  // is at most half of the server's response time.
  std::optional<Duration> clock_ahead() const { return clock_ahead_; }
  const DeliveryStats& stats() const { return stats_; }

 private:
  enum class State : uint8_t { kAway, kHello, kWelcome };
  // A batch that was sent, or a gap that was sent in place of some.
  struct Sent {
    uint64_t first = 0;
    std::optional<uint64_t> lines_before;  // nullopt for a gap
    AgentPosition end;                     // after it
    uint32_t lines = 0;                    // in the batch; 0 for a gap
    size_t bytes = 0;
  };
  // Resets what belongs to one connection or identity.
  void reset_for_identity();
  void handle(const FrameRead& frame, const ClockReadings& now);
  void handle_refusal(const RefuseFrame& refuse, SteadyTime now);
  void handle_welcome(const WelcomeFrame& welcome, const ClockReadings& now);
  void handle_ack(const AckFrame& ack, SteadyTime now);
  enum class Owner : uint8_t { kThis, kOther, kUnsure };
  Result<Owner> owner_of(const AgentProgress& progress);
  Result<Owner> owner_of(const AgentPosition& position);
  void change_identity(const std::string& why, SteadyTime now);
  void fail(ErrorCode code, std::string why);
  void count_acknowledged(uint64_t seq, uint64_t ahead, SteadyTime now);
  void count_refused(uint64_t lines);
  bool is_passed_on() const { return options_.passed_hello != nullptr; }
  StatusFrame own_status(Timestamp now) const;
  HelloFrame own_hello(const HostBoot& boot, Timestamp now) const;
  Status prepare_next(const ClockReadings& now);
  static Status hold_next(SpoolReader& reader, std::optional<SpoolRecord>& held);
  void prepare_status(const ClockReadings& now);
  void prepare_newest(const ClockReadings& now);
  void prepare_backlog(const ClockReadings& now);
  void prepare_gap(const GapFrame& gap, bool is_backlog, const ClockReadings& now);
  void prepare_batch(const SpoolRecord& record, bool is_backlog, const ClockReadings& now);
  void note_sent(const Sent& sent, bool is_backlog, const ClockReadings& now);
  bool has_backlog() const { return sent_.position.seq < backlog_end_; }
  bool is_ack_due() const;
  GapReason reason_of_gap(const SpoolRecord& next, uint64_t last) const;

  Spool& spool_;
  const DeliveryOptions options_;
  SpoolReader reader_;          // reads the batches after the backlog
  SpoolReader backlog_reader_;  // reads the batches of the backlog
  State state_ = State::kAway;
  std::optional<Error> failure_;
  std::string conflict_;
  bool is_fenced_ = false;
  std::string unread_;               // an incomplete frame
  std::string small_;                // frames made here: hello, gaps, status
  std::string_view next_;            // bytes still to be written, in small_ or in a record
  std::optional<SpoolRecord> held_;  // what reader_ has read and what is sent next, after a gap or a status
  std::optional<SpoolRecord> held_backlog_;  // the same of backlog_reader_
  AgentId id_{};              // the spool's id at connected(); all fields below belong to this identity
  AgentProgress sent_;        // what has been sent or reported as missing
  uint64_t backlog_end_ = 0;  // the last batch of the backlog
  uint64_t handed_out_ = 0;   // the highest batch sent; no server can have later ones of this agent
  std::deque<Sent> unacknowledged_;  // includes those of the previous connection
  std::deque<Sent> backlog_unacknowledged_;
  BacklogWindow window_{BacklogWindow::kBytesMin};  // for backlog_unacknowledged_
  AgentProgress acknowledged_;
  AgentPosition ever_acknowledged_;           // the highest ever
  bool was_replaced_ = false;                 // since the last welcome
  std::deque<SteadyTime> replaced_;           // times of the last kReplacedMax refusals
  std::optional<uint64_t> refused_;           // lines, as counted by the server
  SteadyTime waiting_since_{};                // for the welcome, or for an acknowledgment
  std::optional<SteadyTime> status_sent_at_;  // when the last status was sent on this connection
  std::optional<Duration> clock_ahead_;
  DeliveryStats stats_;
};

}  // namespace statmill
