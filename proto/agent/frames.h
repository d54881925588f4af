// The frames of the acknowledged agent stream (proto/PROTOCOL.md, "The agent stream"), in both directions.
//
// +-----------------+-----------------+---------+---------+
// | length u32be    | crc32c u32be    | type u8 | payload |   length: of type and payload; the checksum is of
// +-----------------+-----------------+---------+---------+   them too
//
// Pure. A decoder never reads past its payload and gives nothing for one that is not whole; a payload may be
// longer than its decoder knows: later versions add at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/token_file.h"
#include "proto/agent_id.h"
#include "proto/agent_position.h"

namespace statmill {

inline constexpr uint8_t kAgentProtocol = 2;
inline constexpr size_t kFrameHeaderBytes = 9;
inline constexpr size_t kBatchTextBytesMax = 256 * 1024;  // the lines of one batch
inline constexpr size_t kTagsBytesMax = 1024;             // the tags of a batch
inline constexpr size_t kFrameBytesMax = kBatchTextBytesMax + kTagsBytesMax + 64;
inline constexpr size_t kHostBytesMax = 256;
inline constexpr size_t kAgentVersionBytesMax = 64;
inline constexpr size_t kCollectorsMax = 64;  // in one status
inline constexpr size_t kCollectorNameBytesMax = 64;
inline constexpr size_t kCollectorReasonBytesMax = 256;
inline constexpr uint8_t kLaneCount = 1;  // an agent has one numbering of batches; later it may have several

enum class FrameType : uint8_t {
  // From the agent.
  kHello = 1,
  kBatch = 2,
  kGap = 3,
  kStatus = 4,
  // From the server.
  kWelcome = 0x81,
  kAck = 0x82,
  kRefuse = 0x83,
};

// Opens a connection. If the version is not kAgentProtocol, no other field is decoded.
struct HelloFrame {
  uint8_t version = kAgentProtocol;
  bool is_ephemeral =
      false;         // the batches are in memory only: the id will not be seen again after the agent ends
  uint8_t lane = 0;  // below kLaneCount
  AgentId id{};
  AgentSecret secret{};  // proves that the id is the agent's own
  // The highest position of this epoch that this server has acknowledged to the running agent; zeros if there
  // is none. `acknowledged.epoch` is the epoch of the numbering in use.
  AgentPosition acknowledged{};
  Timestamp clock{};                 // the agent's wall clock when it sends this
  std::string_view host{};           // what people call it; at most kHostBytesMax
  std::string_view agent_version{};  // of the program; at most kAgentVersionBytesMax
  std::string_view token{};          // at most kTokenBytesMax
};

// Lines of the line protocol, each with its time and ended by LF.
struct BatchFrame {
  uint64_t seq = 0;
  uint64_t lines_before = 0;  // in the batches before it, of its epoch
  uint32_t lines = 0;
  Timestamp time{};         // the agent's wall clock when it made the batch
  std::string_view tags{};  // of all its series, as "name=value;name=value"; at most kTagsBytesMax
  std::string_view text{};  // at most kBatchTextBytesMax
};

// Takes the place of batches that the agent cannot send: all from `first` to `seq`.
struct GapFrame {
  uint64_t first = 0;         // at least 1, at most `seq`
  uint64_t seq = 0;           // the last of them
  uint64_t lines_before = 0;  // of the batch that follows: lines in all batches up to `seq`
  GapReason reason = GapReason::kSpoolFull;
  Timestamp time{};  // when the batch that follows was made
};

// What an agent says of itself: after the welcome, then before a batch, at most once in kStatusInterval.
struct CollectorNote {
  std::string_view name{};    // at most kCollectorNameBytesMax
  uint8_t state = 0;          // 0 ok, 1 degraded, 2 unavailable
  std::string_view reason{};  // empty if ok; at most kCollectorReasonBytesMax

  bool operator==(const CollectorNote&) const = default;
};

struct StatusFrame {
  Timestamp clock{};                        // the agent's wall clock when it sends this
  uint64_t spool_bytes = 0;                 // that the spool holds, acknowledged or not
  uint64_t lines_dropped = 0;               // since the agent started: those that this server will not get
  std::vector<CollectorNote> collectors{};  // at most kCollectorsMax
};
inline constexpr Duration kStatusInterval = std::chrono::seconds(10);

// The answer to a hello: what is durable of the hello's epoch. Sequence and lines are zero for an agent that
// the server does not know.
struct WelcomeFrame {
  uint8_t version = kAgentProtocol;
  AgentPosition position{};
  uint64_t lines_refused = 0;  // as in AckFrame
  Timestamp clock{};           // the server's wall clock when it sends this
};

// All batches up to `seq` are durable.
struct AckFrame {
  uint64_t seq = 0;
  // Lines of all batches up to `seq`, of all epochs, that the server received and refused (too old, too new,
  // bad syntax, a limit). It counts as long as the server knows the agent.
  uint64_t lines_refused = 0;
};

enum class RefuseReason : uint8_t {
  kProtocol = 1,  // a frame that is damaged or makes no sense here
  kVersion = 2,   // of the protocol
  kToken = 3,
  kFenced = 4,    // the id is known with a later epoch
  kReplaced = 5,  // another connection has come with the same id
  kGap = 6,       // a batch that does not follow the position
  kLimit = 7,     // of agents or connections
  kStopping = 8,
  kClock = 9,         // the clocks of agent and server differ too much; nothing is taken until they agree
  kOwner = 10,        // the id is known with another secret
  kServerClock = 11,  // the server's own clock is in doubt, and differs from the agent's
};
// "protocol", "version", ...; "unknown" for a number that is none.
std::string_view refuse_reason_text(RefuseReason reason);
// "spool_full", "forgotten", "damaged", "evicted", "cloned", "copied"; likewise.
std::string_view gap_reason_text(GapReason reason);

// The server ends the connection behind it.
struct RefuseFrame {
  RefuseReason reason = RefuseReason::kProtocol;
  std::string_view text{};
};

// Each appends one frame.
void append_frame(std::string& out, const HelloFrame& frame);
void append_frame(std::string& out, const BatchFrame& frame);
void append_frame(std::string& out, const GapFrame& frame);
void append_frame(std::string& out, const StatusFrame& frame);
void append_frame(std::string& out, const WelcomeFrame& frame);
void append_frame(std::string& out, const AckFrame& frame);
void append_frame(std::string& out, const RefuseFrame& frame);

// The first frame of some bytes.
struct FrameRead {
  enum class State : uint8_t {
    kWhole,
    kIncomplete,  // the first `bytes` bytes are not all there yet
    kDamaged,     // too long, empty, or its checksum is wrong: the bytes behind it mean nothing either
  };
  State state = State::kIncomplete;
  FrameType type{};  // of a whole one; may be a number that is none
  std::string_view payload;
  size_t bytes = 0;  // of the frame; when incomplete, as far as that is known: what is needed to go on
};
FrameRead read_frame(std::string_view bytes);

// Of the payloads. None: too short, or a field is out of its range.
std::optional<HelloFrame> decode_hello(std::string_view payload);
std::optional<BatchFrame> decode_batch(std::string_view payload);
std::optional<GapFrame> decode_gap(std::string_view payload);
std::optional<StatusFrame> decode_status(std::string_view payload);
std::optional<WelcomeFrame> decode_welcome(std::string_view payload);
std::optional<AckFrame> decode_ack(std::string_view payload);
std::optional<RefuseFrame> decode_refuse(std::string_view payload);

}  // namespace statmill
