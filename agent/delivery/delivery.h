// Delivery: the agent's side of the acknowledged stream to one server, without the connection: bytes in,
// bytes out (proto/PROTOCOL.md, "The agent stream"). It knows no socket and no clock.
//
// The server says at each hello how far it is, and what it lacks is sent again from there. If it has batches
// that this agent did not make, or another agent uses the id, the spool takes a new identity.
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

namespace statmill {

struct DeliveryOptions {
  size_t server = 0;          // its number in the spool
  std::string host{};         // what people call this one
  std::string token{};        // that the server asks for; empty: none
  bool is_ephemeral = false;  // the spool is in memory only
  // What the collectors report now; the texts live until the next call. Empty: nothing.
  std::function<std::vector<CollectorNote>()> collectors{};
};

struct DeliveryStats {
  uint64_t batches_sent = 0;
  uint64_t lines_acknowledged = 0;
  uint64_t lines_refused = 0;  // by the server, of what it has acknowledged, since this started
  uint64_t gaps_told = 0;
  uint64_t rewinds = 0;  // hellos after which batches were sent again that had been acknowledged
};

// What both clocks show at one moment.
struct Moment {
  Timestamp wall{};
  SteadyTime steady{};
};

// Confined to the spool's thread. The spool must outlive it.
class Delivery {
 public:
  static constexpr Duration kHelloLimit = std::chrono::seconds(10);  // until the welcome
  static constexpr Duration kSilenceLimit =
      std::chrono::seconds(60);  // without an acknowledgment that is due
  // So many refusals as `replaced` within that time mean that another agent has the same identity.
  static constexpr size_t kReplacedMax = 3;
  static constexpr Duration kReplacedInterval = std::chrono::minutes(10);

  Delivery(Spool& spool, DeliveryOptions options);

  // A connection begins.
  void connected(const Moment& now);
  // Bytes came.
  void receive(std::string_view bytes, const Moment& now);
  // What is to be written next; empty: nothing until more is durable in the spool, its identity is another,
  // or bytes come. Valid until the next call. Errors: of the spool's directory, and the next call tries
  // again; verdict().
  Result<std::string_view> output(const Moment& now);
  // The connection took the first `bytes` of output().
  void took(size_t bytes);
  // The connection is gone.
  void disconnected();

  // Why the connection must end; none: it may go on.
  std::optional<Error> verdict(SteadyTime now) const;
  // When verdict() is to be asked again, whatever comes.
  std::optional<SteadyTime> deadline() const;
  // The server has said how far it is, since connected().
  bool is_welcome() const { return state_ == State::kWelcome; }
  // All that is durable in the spool is acknowledged.
  bool is_done() const { return id_ == spool_.id() && acknowledged_ >= spool_.durable_seq(); }
  uint64_t acknowledged_seq() const { return acknowledged_; }
  // How far the wall clock was ahead of the server's at the last welcome; none: there was none. It is right
  // to half the time that the server took to answer.
  std::optional<Duration> clock_ahead() const { return clock_ahead_; }
  const DeliveryStats& stats() const { return stats_; }

 private:
  enum class State : uint8_t { kAway, kHello, kWelcome };
  // A batch, or a gap in the place of some.
  struct Sent {
    SpoolPosition position;  // behind it
    uint32_t lines;          // of the batch
    Timestamp time;
  };
  void begin_state();
  void take(const FrameRead& frame, const Moment& now);
  void take_refusal(const RefuseFrame& refuse, SteadyTime now);
  void take_welcome(const WelcomeFrame& welcome, const Moment& now);
  void take_ack(const AckFrame& ack, SteadyTime now);
  enum class Owner : uint8_t { kThis, kOther, kUnsure };
  Result<Owner> owner_of(const AgentPosition& position);
  void begin_anew(const std::string& why, SteadyTime now);
  void fail(ErrorCode code, std::string why);
  void count_acknowledged(uint64_t seq);
  void note_acknowledged(const AgentPosition& position);
  void count_refused(uint64_t lines);
  Status prepare_next(const Moment& now);
  void prepare_status(const Moment& now);
  void prepare_gap(const GapFrame& gap);
  void prepare_batch(const SpoolRecord& record);
  bool can_follow(const SpoolRecord& record) const;
  GapReason reason_of_gap(uint64_t next_seq) const;

  Spool& spool_;
  const DeliveryOptions options_;
  SpoolReader reader_;
  State state_ = State::kAway;
  std::optional<Error> failure_;
  std::string unread_;     // of a frame that is not whole yet
  std::string small_;      // frames made here: hello, gaps, status
  std::string_view next_;  // what is left of what is to be written: of small_, or a record of the reader's
  std::optional<SpoolRecord> held_back_;  // the record behind a gap that is to be told first
  AgentId id_{};                          // of the spool, at connected(); what follows is of this identity
  SpoolPosition sent_;                    // up to there batches are handed out, or told to be missing
  uint64_t handed_out_ = 0;               // no server can have later batches of this agent
  std::deque<Sent> unacknowledged_;       // also of the connection before
  uint64_t acknowledged_ = 0;
  AgentPosition ever_acknowledged_;        // the highest so far
  bool was_replaced_ = false;              // since the last welcome
  std::deque<SteadyTime> replaced_;        // when; the last kReplacedMax
  std::optional<uint64_t> refused_;        // lines, as the server counts them
  SteadyTime waiting_since_{};             // for the welcome, or for an acknowledgment
  std::optional<SteadyTime> status_told_;  // since connected()
  std::optional<Duration> clock_ahead_;
  DeliveryStats stats_;
};

}  // namespace statmill
