// Each decoder mirrors its encoder, field by field.
#include "proto/agent/frames.h"

#include <algorithm>
#include <span>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kTypeAt = 8;
constexpr uint8_t kEphemeral = 1;  // flag in a hello
constexpr uint8_t kUnused = 0;     // byte of a hello
constexpr uint8_t kHasRun = 1;     // flag in a welcome
constexpr size_t kRefuseTextBytesMax = 256;

// A frame at the end of `out` whose payload is being written. The destructor fills in length and checksum.
class OpenFrame {
 public:
  OpenFrame(std::string& out, FrameType type) : out_(out), begin_(out.size()), writer_(out) {
    out_.append(kTypeAt, '\0');
    writer_.u8(static_cast<uint8_t>(type));
  }
  ~OpenFrame() {
    const std::string_view body = std::string_view(out_).substr(begin_ + kTypeAt);
    std::string head;
    Writer writer(head);
    writer.u32be(static_cast<uint32_t>(body.size()));
    writer.u32be(crc32c(body));
    std::copy(head.begin(), head.end(), out_.begin() + static_cast<std::ptrdiff_t>(begin_));
  }
  OpenFrame(const OpenFrame&) = delete;
  OpenFrame& operator=(const OpenFrame&) = delete;

  Writer* operator->() { return &writer_; }
  Writer& writer() { return writer_; }

 private:
  std::string& out_;
  const size_t begin_;
  Writer writer_;
};

void put(Writer& writer, Timestamp time) {
  writer.u64be(static_cast<uint64_t>(time.time_since_epoch().count()));
}
Timestamp read_time(Reader& reader) { return Timestamp(Duration(static_cast<int64_t>(reader.u64be()))); }

void put(Writer& writer, std::string_view text) {
  writer.varint(text.size());
  writer.bytes(text);
}
std::string_view read_text(Reader& reader) { return reader.bytes(reader.varint()); }

// For AgentId and AgentSecret.
template <class Bits>
void put(Writer& writer, const Bits& bits) {
  writer.bytes({reinterpret_cast<const char*>(bits.bytes.data()), bits.bytes.size()});
}
template <class Bits>
Bits read_bits(Reader& reader) {
  Bits bits;
  const std::string_view bytes = reader.bytes(Bits::kBytes);
  std::copy(bytes.begin(), bytes.end(), bits.bytes.begin());
  return bits;
}

void put(Writer& writer, const AgentPosition& position) {
  writer.u32be(position.epoch);
  writer.u64be(position.seq);
  writer.u64be(position.lines);
  put(writer, position.time);
}
AgentPosition read_position(Reader& reader) {
  AgentPosition position;
  position.epoch = reader.u32be();
  position.seq = reader.u64be();
  position.lines = reader.u64be();
  position.time = read_time(reader);
  return position;
}

void put(Writer& writer, const AgentRun& run) {
  writer.u64be(run.after);
  writer.u64be(run.lines_before);
  writer.u64be(run.last.seq);
  writer.u64be(run.last.lines);
  put(writer, run.last.time);
}
AgentRun read_run(Reader& reader, uint32_t epoch) {
  AgentRun run{.after = reader.u64be(), .lines_before = reader.u64be()};
  run.last = {.epoch = epoch, .seq = reader.u64be(), .lines = reader.u64be(), .time = read_time(reader)};
  return run;
}
bool can_follow(const AgentRun& run, const AgentPosition& position) {
  return run.after > position.seq && run.last.seq >= run.after && run.lines_before >= position.lines &&
         run.last.lines >= run.lines_before;
}

template <class Frame>
std::optional<Frame> if_whole(const Reader& reader, const Frame& frame) {
  return reader.failed() ? std::nullopt : std::optional(frame);
}

}  // namespace

std::string_view refuse_reason_text(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::kProtocol:
      return "protocol";
    case RefuseReason::kVersion:
      return "version";
    case RefuseReason::kToken:
      return "token";
    case RefuseReason::kFenced:
      return "fenced";
    case RefuseReason::kReplaced:
      return "replaced";
    case RefuseReason::kGap:
      return "gap";
    case RefuseReason::kLimit:
      return "limit";
    case RefuseReason::kStopping:
      return "stopping";
    case RefuseReason::kClock:
      return "clock";
    case RefuseReason::kOwner:
      return "owner";
    case RefuseReason::kServerClock:
      return "server_clock";
  }
  return "unknown";
}

std::string_view gap_reason_text(GapReason reason) {
  switch (reason) {
    case GapReason::kSpoolFull:
      return "spool_full";
    case GapReason::kForgotten:
      return "forgotten";
    case GapReason::kDamaged:
      return "damaged";
    case GapReason::kEvicted:
      return "evicted";
    case GapReason::kCloned:
      return "cloned";
    case GapReason::kCopied:
      return "copied";
  }
  return "unknown";
}

void append_frame(std::string& out, const HelloFrame& frame) {
  OpenFrame open(out, FrameType::kHello);
  open->u8(frame.version);
  open->u8(frame.is_ephemeral ? kEphemeral : 0);
  open->u8(kUnused);
  put(open.writer(), frame.id);
  put(open.writer(), frame.secret);
  put(open.writer(), frame.acknowledged);
  put(open.writer(), frame.clock);
  put(open.writer(), frame.host.substr(0, kHostBytesMax));
  put(open.writer(), frame.agent_version.substr(0, kAgentVersionBytesMax));
  put(open.writer(), frame.token.substr(0, kTokenBytesMax));
  put(open.writer(), frame.kernel.substr(0, kKernelBytesMax));
  put(open.writer(), frame.boot_id.substr(0, kBootIdBytesMax));
  open->u64be(static_cast<uint64_t>(std::clamp(frame.uptime, Duration(0), kUptimeMax).count()));
  if (frame.hops > 0) open->u8(frame.hops);
}

std::optional<HelloFrame> decode_hello(std::string_view payload) {
  Reader reader(payload);
  HelloFrame frame;
  frame.version = reader.u8();
  if (frame.version != kAgentProtocol && frame.version != kAgentProtocolRenamed)
    return if_whole(reader, frame);
  frame.is_ephemeral = (reader.u8() & kEphemeral) != 0;
  const uint8_t unused = reader.u8();
  frame.id = read_bits<AgentId>(reader);
  frame.secret = read_bits<AgentSecret>(reader);
  frame.acknowledged = read_position(reader);
  frame.clock = read_time(reader);
  frame.host = read_text(reader);
  frame.agent_version = read_text(reader);
  frame.token = read_text(reader);
  if (!reader.done()) {
    frame.kernel = read_text(reader);
    frame.boot_id = read_text(reader);
    const uint64_t uptime_ms = reader.u64be();
    if (uptime_ms > static_cast<uint64_t>(kUptimeMax.count())) return std::nullopt;
    frame.uptime = Duration(uptime_ms);
  }
  if (!reader.done()) frame.hops = reader.u8();
  if (unused != kUnused || frame.acknowledged.epoch == 0) return std::nullopt;
  if (frame.host.size() > kHostBytesMax || frame.agent_version.size() > kAgentVersionBytesMax ||
      frame.token.size() > kTokenBytesMax || frame.kernel.size() > kKernelBytesMax ||
      frame.boot_id.size() > kBootIdBytesMax) {
    return std::nullopt;
  }
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const BatchFrame& frame) {
  OpenFrame open(out, FrameType::kBatch);
  open->u64be(frame.seq);
  open->u64be(frame.lines_before);
  open->u32be(frame.lines);
  put(open.writer(), frame.time);
  put(open.writer(), frame.tags.substr(0, kTagsBytesMax));
  open->bytes(frame.text);
}

std::optional<BatchFrame> decode_batch(std::string_view payload) {
  Reader reader(payload);
  BatchFrame frame;
  frame.seq = reader.u64be();
  frame.lines_before = reader.u64be();
  frame.lines = reader.u32be();
  frame.time = read_time(reader);
  frame.tags = read_text(reader);
  frame.text = reader.rest();
  if (frame.seq == 0 || frame.tags.size() > kTagsBytesMax || frame.text.size() > kBatchTextBytesMax)
    return std::nullopt;
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const GapFrame& frame) {
  OpenFrame open(out, FrameType::kGap);
  open->u64be(frame.first);
  open->u64be(frame.seq);
  open->u64be(frame.lines_before);
  open->u8(static_cast<uint8_t>(frame.reason));
  put(open.writer(), frame.time);
}

std::optional<GapFrame> decode_gap(std::string_view payload) {
  Reader reader(payload);
  GapFrame frame;
  frame.first = reader.u64be();
  frame.seq = reader.u64be();
  frame.lines_before = reader.u64be();
  frame.reason = static_cast<GapReason>(reader.u8());
  frame.time = read_time(reader);
  if (frame.first == 0 || frame.first > frame.seq) return std::nullopt;
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const StatusFrame& frame) {
  OpenFrame open(out, FrameType::kStatus);
  put(open.writer(), frame.clock);
  open->u64be(frame.spool_bytes);
  open->u64be(frame.lines_dropped);
  const size_t count = std::min(frame.collectors.size(), kCollectorsMax);
  open->varint(count);
  for (const CollectorNote& note : std::span(frame.collectors).first(count)) {
    put(open.writer(), note.name.substr(0, kCollectorNameBytesMax));
    open->u8(note.state);
    put(open.writer(), note.reason.substr(0, kCollectorReasonBytesMax));
  }
  for (const CollectorNote& note : std::span(frame.collectors).first(count)) open->u8(note.sources);
}

std::optional<StatusFrame> decode_status(std::string_view payload) {
  Reader reader(payload);
  StatusFrame frame;
  frame.clock = read_time(reader);
  frame.spool_bytes = reader.u64be();
  frame.lines_dropped = reader.u64be();
  const uint64_t count = reader.varint();
  if (count > kCollectorsMax) return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    CollectorNote note;
    note.name = read_text(reader);
    note.state = reader.u8();
    note.reason = read_text(reader);
    if (note.name.size() > kCollectorNameBytesMax || note.reason.size() > kCollectorReasonBytesMax)
      return std::nullopt;
    frame.collectors.push_back(note);
  }
  if (!reader.done()) {
    for (CollectorNote& note : frame.collectors) note.sources = reader.u8();
  }
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const WelcomeFrame& frame) {
  OpenFrame open(out, FrameType::kWelcome);
  open->u8(frame.version);
  put(open.writer(), frame.position);
  open->u64be(frame.lines_refused);
  put(open.writer(), frame.clock);
  if (!frame.accepts_ahead) return;
  open->u8(frame.ahead ? kHasRun : 0);
  if (frame.ahead) put(open.writer(), *frame.ahead);
}

std::optional<WelcomeFrame> decode_welcome(std::string_view payload) {
  Reader reader(payload);
  WelcomeFrame frame;
  frame.version = reader.u8();
  frame.position = read_position(reader);
  frame.lines_refused = reader.u64be();
  frame.clock = read_time(reader);
  frame.accepts_ahead = !reader.done();
  if (!reader.done() && (reader.u8() & kHasRun) != 0) {
    frame.ahead = read_run(reader, frame.position.epoch);
    if (!can_follow(*frame.ahead, frame.position)) return std::nullopt;
  }
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const AckFrame& frame) {
  OpenFrame open(out, FrameType::kAck);
  open->u64be(frame.seq);
  open->u64be(frame.lines_refused);
  open->u64be(frame.ahead);
}

std::optional<AckFrame> decode_ack(std::string_view payload) {
  Reader reader(payload);
  AckFrame frame;
  frame.seq = reader.u64be();
  frame.lines_refused = reader.u64be();
  if (!reader.done()) frame.ahead = reader.u64be();
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const RefuseFrame& frame) {
  OpenFrame open(out, FrameType::kRefuse);
  open->u8(static_cast<uint8_t>(frame.reason));
  put(open.writer(), frame.text.substr(0, kRefuseTextBytesMax));
}

std::optional<RefuseFrame> decode_refuse(std::string_view payload) {
  Reader reader(payload);
  RefuseFrame frame;
  frame.reason = static_cast<RefuseReason>(reader.u8());
  frame.text = read_text(reader);
  return if_whole(reader, frame);
}

FrameRead read_frame(std::string_view bytes, size_t bytes_max) {
  FrameRead read;
  read.bytes = kFrameHeaderBytes;
  if (bytes.size() < kLengthBytes) return read;
  Reader reader(bytes);
  const size_t length = reader.u32be();
  if (length == 0 || length > bytes_max) {
    read.state = FrameRead::State::kDamaged;
    return read;
  }
  read.bytes = kTypeAt + length;
  if (bytes.size() < read.bytes) return read;
  const uint32_t checksum = reader.u32be();
  const std::string_view body = reader.bytes(length);
  read.state = crc32c(body) == checksum ? FrameRead::State::kWhole : FrameRead::State::kDamaged;
  read.type = static_cast<FrameType>(body.front());
  read.payload = body.substr(1);
  return read;
}

}  // namespace statmill
