// See agent_frames.h. Each decoder mirrors its encoder, field by field.
#include "proto/agent_frames.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr size_t kLengthBytes = 4;
constexpr size_t kTypeAt = 8;
constexpr uint8_t kEphemeral = 1;  // flag of a hello
constexpr size_t kRefuseTextBytesMax = 256;

// A frame at the end of `out` while its payload is written; its length and checksum are put in last.
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
Timestamp take_time(Reader& reader) { return Timestamp(Duration(static_cast<int64_t>(reader.u64be()))); }

void put(Writer& writer, std::string_view text) {
  writer.varint(text.size());
  writer.bytes(text);
}
std::string_view take_text(Reader& reader) { return reader.bytes(reader.varint()); }

std::string_view as_text(const AgentId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
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
  }
  return "unknown";
}

void append_frame(std::string& out, const HelloFrame& frame) {
  OpenFrame open(out, FrameType::kHello);
  open->u8(frame.version);
  open->bytes(as_text(frame.id));
  open->u32be(frame.epoch);
  open->u8(frame.is_ephemeral ? kEphemeral : 0);
  put(open.writer(), frame.host.substr(0, kHostBytesMax));
  put(open.writer(), frame.token.substr(0, kTokenBytesMax));
}

std::optional<HelloFrame> decode_hello(std::string_view payload) {
  Reader reader(payload);
  HelloFrame frame;
  frame.version = reader.u8();
  const std::string_view id = reader.bytes(AgentId::kBytes);
  std::copy(id.begin(), id.end(), frame.id.bytes.begin());
  frame.epoch = reader.u32be();
  frame.is_ephemeral = (reader.u8() & kEphemeral) != 0;
  frame.host = take_text(reader);
  frame.token = take_text(reader);
  if (frame.host.size() > kHostBytesMax || frame.token.size() > kTokenBytesMax) return std::nullopt;
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const BatchFrame& frame) {
  OpenFrame open(out, FrameType::kBatch);
  open->u64be(frame.seq);
  open->u64be(frame.lines_before);
  open->u32be(frame.lines);
  put(open.writer(), frame.time);
  open->bytes(frame.text);
}

std::optional<BatchFrame> decode_batch(std::string_view payload) {
  Reader reader(payload);
  BatchFrame frame;
  frame.seq = reader.u64be();
  frame.lines_before = reader.u64be();
  frame.lines = reader.u32be();
  frame.time = take_time(reader);
  frame.text = reader.rest();
  if (frame.seq == 0 || frame.text.size() > kBatchTextBytesMax) return std::nullopt;
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
  frame.time = take_time(reader);
  if (frame.first == 0 || frame.first > frame.seq) return std::nullopt;
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const WelcomeFrame& frame) {
  OpenFrame open(out, FrameType::kWelcome);
  open->u8(frame.version);
  open->u32be(frame.position.epoch);
  open->u64be(frame.position.seq);
  open->u64be(frame.position.lines);
  put(open.writer(), frame.position.time);
}

std::optional<WelcomeFrame> decode_welcome(std::string_view payload) {
  Reader reader(payload);
  WelcomeFrame frame;
  frame.version = reader.u8();
  frame.position.epoch = reader.u32be();
  frame.position.seq = reader.u64be();
  frame.position.lines = reader.u64be();
  frame.position.time = take_time(reader);
  return if_whole(reader, frame);
}

void append_frame(std::string& out, const AckFrame& frame) {
  OpenFrame open(out, FrameType::kAck);
  open->u64be(frame.seq);
}

std::optional<AckFrame> decode_ack(std::string_view payload) {
  Reader reader(payload);
  AckFrame frame;
  frame.seq = reader.u64be();
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
  frame.text = take_text(reader);
  return if_whole(reader, frame);
}

FrameRead read_frame(std::string_view bytes) {
  FrameRead read;
  read.bytes = kFrameHeaderBytes;
  if (bytes.size() < kLengthBytes) return read;
  Reader reader(bytes);
  const size_t length = reader.u32be();
  if (length == 0 || length > kFrameBytesMax) {
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
