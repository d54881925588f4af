// Delivery: the agent's side of the acknowledged stream to one server, as bytes in and bytes out
// (proto/PROTOCOL.md, "The agent stream"). It uses no socket and no clock.
//
// At each hello the server reports how many batches it has, and the agent sends the rest again. If the
// server has batches that this agent did not make, or another agent uses the same id, the spool
// changes its identity.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  // Returns the current status of the collectors. The texts are valid until the next call. May be empty.
  std::function<std::vector<CollectorNote>()> collectors{};
  // Returns which kernel the host runs, and since when by its own clock. May be empty.
  std::function<HostBoot()> boot{};
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
  void disconnected();

  // Returns an error if the connection must be closed.
  Status check(SteadyTime now) const;
  // Returns when to call check() again even if nothing else happens; nullopt: no time.
  std::optional<SteadyTime> deadline() const;
  // True if the server has answered the hello of this connection.
  bool is_welcome() const { return state_ == State::kWelcome; }
  // True if the server has acknowledged everything that is durable in the spool.
  bool is_done() const { return id_ == spool_.id() && acknowledged_ >= spool_.durable_seq(); }
  // The last batch of the spool's present identity that the server has acknowledged; 0 if there is none.
  uint64_t acknowledged_seq() const { return id_ == spool_.id() ? acknowledged_ : 0; }
  // How far the wall clock was ahead of the server's at the last welcome; nullopt before the first. The error
  // is at most half of the server's response time.
  std::optional<Duration> clock_ahead() const { return clock_ahead_; }
  const DeliveryStats& stats() const { return stats_; }

 private:
  enum class State : uint8_t { kAway, kHello, kWelcome };
  // A batch that was sent, or a gap that was sent in place of some.
  struct Sent {
    SpoolPosition position;  // after it
    uint32_t lines;          // in the batch; 0 for a gap
    Timestamp time;
  };
  // Resets what belongs to one connection or identity.
  void reset_for_identity();
  void handle(const FrameRead& frame, const ClockReadings& now);
  void handle_refusal(const RefuseFrame& refuse, SteadyTime now);
  void handle_welcome(const WelcomeFrame& welcome, const ClockReadings& now);
  void handle_ack(const AckFrame& ack, SteadyTime now);
  enum class Owner : uint8_t { kThis, kOther, kUnsure };
  Result<Owner> owner_of(const AgentPosition& position);
  void change_identity(const std::string& why, SteadyTime now);
  void fail(ErrorCode code, std::string why);
  void count_acknowledged(uint64_t seq);
  void set_acknowledged(const AgentPosition& position);
  void count_refused(uint64_t lines);
  Status prepare_next(const ClockReadings& now);
  void prepare_status(const ClockReadings& now);
  void prepare_gap(const GapFrame& gap);
  void prepare_batch(const SpoolRecord& record);
  bool can_follow(const SpoolRecord& record) const;
  GapReason reason_of_gap(uint64_t next_seq) const;

  Spool& spool_;
  const DeliveryOptions options_;
  SpoolReader reader_;
  State state_ = State::kAway;
  std::optional<Error> failure_;
  std::string unread_;                    // an incomplete frame
  std::string small_;                     // frames made here: hello, gaps, status
  std::string_view next_;                 // bytes still to be written, in small_ or in a record of reader_
  std::optional<SpoolRecord> held_back_;  // the record after a gap; the gap is sent first
  AgentId id_{};             // the spool's id at connected(); all fields below belong to this identity
  SpoolPosition sent_;       // up to here, batches have been sent or reported as missing
  uint64_t handed_out_ = 0;  // the highest batch sent; no server can have later ones of this agent
  std::deque<Sent> unacknowledged_;  // includes those of the previous connection
  uint64_t acknowledged_ = 0;
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
