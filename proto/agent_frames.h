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

#include "base/clock.h"
#include "base/token_file.h"
#include "proto/agent_id.h"

namespace statmill {

inline constexpr uint8_t kAgentProtocol = 1;
inline constexpr size_t kFrameHeaderBytes = 9;
inline constexpr size_t kBatchTextBytesMax = 256 * 1024;  // the lines of one batch
inline constexpr size_t kFrameBytesMax = kBatchTextBytesMax + 64;
inline constexpr size_t kHostBytesMax = 256;

enum class FrameType : uint8_t {
  // From the agent.
  kHello = 1,
  kBatch = 2,
  kGap = 3,
  // From the server.
  kWelcome = 0x81,
  kAck = 0x82,
  kRefuse = 0x83,
};

// How far an agent's batches have come: all up to `seq` of numbering `epoch`, which hold `lines` lines; the
// last of them was made at `time`. Batches of an epoch are numbered from 1 without a gap.
struct AgentPosition {
  uint32_t epoch = 0;
  uint64_t seq = 0;
  uint64_t lines = 0;
  Timestamp time{};

  bool operator==(const AgentPosition&) const = default;
};

// Opens a connection.
struct HelloFrame {
  uint8_t version = kAgentProtocol;
  AgentId id{};
  uint32_t epoch = 0;
  bool is_ephemeral = false;  // its batches are in memory only: the id will not be seen again after its end
  std::string_view host{};    // what people call it; at most kHostBytesMax
  std::string_view token{};   // at most kTokenBytesMax
};

// Lines of the line protocol, each with its time and ended by LF.
struct BatchFrame {
  uint64_t seq = 0;
  uint64_t lines_before = 0;  // in the batches before it, of its epoch
  uint32_t lines = 0;
  Timestamp time{};         // when it was made
  std::string_view text{};  // at most kBatchTextBytesMax
};

enum class GapReason : uint8_t {
  kSpoolFull = 1,  // dropped as the oldest, over the limit of the spool
  kForgotten = 2,  // acknowledged long ago, and no longer kept, by a server that has lost it
  kDamaged = 3,    // the spool's bytes failed their check
};

// Takes the place of batches that the agent cannot send: all from `first` to `seq`.
struct GapFrame {
  uint64_t first = 0;         // at least 1, at most `seq`
  uint64_t seq = 0;           // the last of them
  uint64_t lines_before = 0;  // of the batch that follows: lines in all batches up to `seq`
  GapReason reason = GapReason::kSpoolFull;
  Timestamp time{};  // when the batch that follows was made
};

// The answer to a hello: what is durable. All zero for an agent not seen before.
struct WelcomeFrame {
  uint8_t version = kAgentProtocol;
  AgentPosition position;
};

// All batches up to `seq` are durable.
struct AckFrame {
  uint64_t seq = 0;
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
};
// "protocol", "version", ...; "unknown" for a number that is none.
std::string_view refuse_reason_text(RefuseReason reason);
// "spool_full", "forgotten", "damaged"; likewise.
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
std::optional<WelcomeFrame> decode_welcome(std::string_view payload);
std::optional<AckFrame> decode_ack(std::string_view payload);
std::optional<RefuseFrame> decode_refuse(std::string_view payload);

}  // namespace statmill
