// Delivery: the agent's side of the acknowledged stream to one server, without the connection: bytes in,
// bytes out (proto/PROTOCOL.md, "The agent stream"). It knows no socket and no clock.
//
// The server says at each hello how far it is, and what it lacks is sent again from there; so nothing is kept
// here over a connection, and nothing about servers in the spool.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "base/clock.h"
#include "proto/agent_frames.h"

namespace statmill {

struct DeliveryOptions {
  size_t server = 0;          // its number in the spool
  std::string host{};         // what people call this one
  std::string token{};        // that the server asks for; empty: none
  bool is_ephemeral = false;  // the spool is in memory only
};

struct DeliveryStats {
  uint64_t batches_sent = 0;
  uint64_t lines_acknowledged = 0;
  uint64_t gaps_told = 0;
  uint64_t lines_displaced = 0;  // their numbers cannot follow what the server has; it is told of a gap
  uint64_t rewinds = 0;          // hellos after which batches were sent again that had been acknowledged
};

// Confined to the spool's thread. The spool must outlive it.
class Delivery {
 public:
  static constexpr Duration kHelloLimit = std::chrono::seconds(10);  // until the welcome
  static constexpr Duration kSilenceLimit =
      std::chrono::seconds(60);  // without an acknowledgment that is due

  Delivery(Spool& spool, DeliveryOptions options);

  // A connection begins.
  void connected(SteadyTime now);
  // Bytes came.
  void receive(std::string_view bytes, SteadyTime now);
  // What is to be written next; empty: nothing until more is durable in the spool, or bytes come. Valid until
  // the next call. Errors: of the spool's directory; the next call tries again.
  Result<std::string_view> output(SteadyTime now);
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
  bool is_done() const { return acknowledged_ >= spool_.durable_seq(); }
  uint64_t acknowledged_seq() const { return acknowledged_; }
  const DeliveryStats& stats() const { return stats_; }

 private:
  enum class State : uint8_t { kAway, kHello, kWelcome };
  struct Sent {
    uint64_t seq;
    uint32_t lines;
  };
  void take(const FrameRead& frame, SteadyTime now);
  void take_welcome(const WelcomeFrame& welcome, SteadyTime now);
  void take_ack(uint64_t seq, SteadyTime now);
  void fail(ErrorCode code, std::string why);
  void note_acknowledged(uint64_t seq);
  Status prepare_next(SteadyTime now);
  bool can_follow(const SpoolRecord& record) const;
  GapReason reason_of_gap(uint64_t next_seq) const;

  Spool& spool_;
  const DeliveryOptions options_;
  SpoolReader reader_;
  State state_ = State::kAway;
  std::optional<Error> failure_;
  std::string unread_;     // of a frame that is not whole yet
  std::string small_;      // frames made here: hello, gaps
  std::string_view next_;  // what is left of what is to be written: of small_, or a record of the reader's
  std::optional<SpoolRecord> held_back_;  // the record behind a gap that is to be told first
  uint64_t sent_seq_ = 0;                 // up to there batches are handed out, or told to be missing
  uint64_t sent_lines_ = 0;               // in all batches up to there, as the server counts them
  std::deque<Sent> unacknowledged_;       // batches, also of the connection before
  uint64_t acknowledged_ = 0;
  uint64_t ever_acknowledged_ = 0;  // the highest so far
  SteadyTime waiting_since_{};      // for the welcome, or for an acknowledgment
  DeliveryStats stats_;
};

}  // namespace statmill
