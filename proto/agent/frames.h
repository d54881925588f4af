// The frames of the acknowledged agent stream (proto/PROTOCOL.md, "The agent stream"), in both directions.
//
// +-----------------+-----------------+---------+---------+
// | length u32be    | crc32c u32be    | type u8 | payload |   length and checksum cover type and payload
// +-----------------+-----------------+---------+---------+
//
// Pure. A decoder never reads past its payload. It ignores bytes after the fields that it knows, since later
// versions add fields at the end.
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

inline constexpr uint8_t kAgentProtocol = 3;
// The hello of version 2 has the same fields, but its batches have series of other names.
inline constexpr uint8_t kAgentProtocolRenamed = 2;
inline constexpr size_t kFrameHeaderBytes = 9;
inline constexpr size_t kBatchTextBytesMax = 256 * 1024;  // the lines of one batch
inline constexpr size_t kTagsBytesMax = 1024;             // the tags of a batch
inline constexpr size_t kFrameBytesMax =                  // type and payload
    kBatchTextBytesMax + kTagsBytesMax + 64;
// The same for a hello of any version. The fields of this version have 1113 bytes at most; later versions may
// add others.
inline constexpr size_t kHelloBytesMax = 1200;
inline constexpr size_t kHostBytesMax = 256;
inline constexpr size_t kAgentVersionBytesMax = 64;
inline constexpr size_t kKernelBytesMax = 128;
inline constexpr size_t kBootIdBytesMax = 64;
inline constexpr Duration kUptimeMax = std::chrono::years(100);
inline constexpr uint8_t kHopsMax = 8;        // more only if gateways send in a circle
inline constexpr size_t kCollectorsMax = 64;  // per status frame
inline constexpr size_t kCollectorNameBytesMax = 64;
inline constexpr size_t kCollectorReasonBytesMax = 256;

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

// Opens a connection. If the version is neither kAgentProtocol nor kAgentProtocolRenamed, no other field is
// decoded.
struct HelloFrame {
  uint8_t version = kAgentProtocol;
  bool is_ephemeral = false;  // the agent keeps batches in memory only; its next run has another id
  AgentId id{};
  AgentSecret secret{};  // proves that the agent owns the id
  // The highest position of this epoch that this server has acknowledged to the running agent; zeros if there
  // is none. `acknowledged.epoch` is the epoch of the numbering in use.
  AgentPosition acknowledged{};
  Timestamp clock{};                 // the agent's wall clock when it sends this
  std::string_view host{};           // the agent's host name; at most kHostBytesMax
  std::string_view agent_version{};  // the program's version; at most kAgentVersionBytesMax
  std::string_view token{};          // at most kTokenBytesMax
  // These describe the agent's host. They are empty or 0 if they are not known, as with early agents, which
  // do not send them.
  std::string_view kernel{};   // the release that runs, "6.1.0-18-amd64"; at most kKernelBytesMax
  std::string_view boot_id{};  // another one at each boot; at most kBootIdBytesMax
  Duration uptime{};           // since the boot, when the agent sends this; at most kUptimeMax
  uint8_t hops = 0;            // gateways that the batches have passed; at most kHopsMax
};

// Lines of the line protocol. Each line has a time and ends with LF.
struct BatchFrame {
  uint64_t seq = 0;
  uint64_t lines_before = 0;  // lines in the epoch's earlier batches
  uint32_t lines = 0;
  Timestamp time{};         // the agent's wall clock when it made the batch
  std::string_view tags{};  // added to all its series, "name=value;name=value"; at most kTagsBytesMax
  std::string_view text{};  // at most kBatchTextBytesMax
};

// Replaces batches that the agent cannot send: all from `first` to `seq`, both included.
struct GapFrame {
  uint64_t first = 0;         // at least 1, at most `seq`
  uint64_t seq = 0;           // the last batch of the gap
  uint64_t lines_before = 0;  // lines in all batches up to `seq`: the next batch's lines_before
  GapReason reason = GapReason::kSpoolFull;
  Timestamp time{};  // the time of the next batch
};

// The sources that a collector's numbers come from, as a set of bits.
enum CollectorSources : uint8_t {
  kSourcesNotKnown = 0,
  kSourceFiles = 1,     // files of the kernel, or of programs
  kSourceEbpf = 2,      // programs in the kernel
  kSourceCounters = 4,  // counters of the CPUs
};

inline constexpr uint8_t kCollectorUnavailable = 2;

// The state of one collector.
struct CollectorNote {
  std::string_view name{};    // at most kCollectorNameBytesMax
  uint8_t state = 0;          // 0 ok, 1 degraded, kCollectorUnavailable
  std::string_view reason{};  // empty if ok; at most kCollectorReasonBytesMax
  // CollectorSources that serve now; an unavailable collector has none. Otherwise none means that the agent
  // does not say.
  uint8_t sources = kSourcesNotKnown;

  bool operator==(const CollectorNote&) const = default;
};

// The agent's report on itself. It follows the welcome; later ones precede a
// batch, at most one per kStatusInterval.
struct StatusFrame {
  Timestamp clock{};                        // the agent's wall clock when it sends this
  uint64_t spool_bytes = 0;                 // size of the spool, acknowledged batches included
  uint64_t lines_dropped = 0;               // since the agent started: lines that this server will not get
  std::vector<CollectorNote> collectors{};  // at most kCollectorsMax
};
inline constexpr Duration kStatusInterval = std::chrono::seconds(10);

// The answer to a hello: the durable position in the hello's epoch. Sequence number and lines are zero if the
// server does not know the agent.
struct WelcomeFrame {
  uint8_t version = kAgentProtocol;
  AgentPosition position{};
  uint64_t lines_refused = 0;  // as in AckFrame
  Timestamp clock{};           // the server's wall clock when it sends this
  // The run that is durable ahead of the position, or that the agent is to continue with.
  std::optional<AgentRun> ahead{};
  // The server accepts batches ahead of a backlog. Early servers of this version do not say so.
  bool accepts_ahead = true;
};

// Reports that all batches up to `seq` are durable, and the run up to `ahead`.
struct AckFrame {
  uint64_t seq = 0;
  // Lines in these batches and in earlier epochs that the server received and refused (too old, too new, bad
  // syntax, a limit). The count lasts as long as the server knows the agent.
  uint64_t lines_refused = 0;
  uint64_t ahead = 0;  // the last durable batch of the run; 0: none

  bool operator==(const AckFrame&) const = default;
};

enum class RefuseReason : uint8_t {
  kProtocol = 1,  // the frame is damaged or not valid at this point
  kVersion = 2,   // the server does not support the protocol version
  kToken = 3,
  kFenced = 4,    // the server knows the id with a later epoch
  kReplaced = 5,  // another connection uses the same id
  kGap = 6,       // the batch does not follow the position
  kLimit = 7,     // too many agents or connections
  kStopping = 8,
  kClock = 9,   // the clocks of agent and server differ too much; the server accepts nothing until they agree
  kOwner = 10,  // the server knows the id with another secret
  kServerClock = 11,  // the server's own clock is in doubt and differs from the agent's
};
// Returns "protocol", "version", ...; "unknown" for an unknown number.
std::string_view refuse_reason_text(RefuseReason reason);
// Returns "spool_full", "forgotten", "damaged", "evicted", "cloned" or
// "copied"; "unknown" for an unknown number.
std::string_view gap_reason_text(GapReason reason);

// The server sends it, then closes the connection.
struct RefuseFrame {
  RefuseReason reason = RefuseReason::kProtocol;
  std::string_view text{};
};

// Appends one frame to `out`.
void append_frame(std::string& out, const HelloFrame& frame);
void append_frame(std::string& out, const BatchFrame& frame);
void append_frame(std::string& out, const GapFrame& frame);
void append_frame(std::string& out, const StatusFrame& frame);
void append_frame(std::string& out, const WelcomeFrame& frame);
void append_frame(std::string& out, const AckFrame& frame);
void append_frame(std::string& out, const RefuseFrame& frame);

// The result of reading the first frame of a buffer.
struct FrameRead {
  enum class State : uint8_t {
    kWhole,
    kIncomplete,  // the buffer holds less than `bytes` bytes
    kDamaged,     // too long, empty, or the checksum is wrong; the bytes after it cannot be trusted either
  };
  State state = State::kIncomplete;
  FrameType type{};  // set if whole; may be a number that is not a FrameType
  std::string_view payload;
  size_t bytes = 0;  // size of the frame; if incomplete, how many bytes the next read_frame() needs
};
// `bytes_max` limits type and payload.
FrameRead read_frame(std::string_view bytes, size_t bytes_max = kFrameBytesMax);

// Each decodes a payload; the views in the frame point into it. Returns nullopt if the payload
// is too short or a field is out of range.
std::optional<HelloFrame> decode_hello(std::string_view payload);
std::optional<BatchFrame> decode_batch(std::string_view payload);
std::optional<GapFrame> decode_gap(std::string_view payload);
std::optional<StatusFrame> decode_status(std::string_view payload);
std::optional<WelcomeFrame> decode_welcome(std::string_view payload);
std::optional<AckFrame> decode_ack(std::string_view payload);
std::optional<RefuseFrame> decode_refuse(std::string_view payload);

}  // namespace statmill
