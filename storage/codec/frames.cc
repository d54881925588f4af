#include "storage/codec/frames.h"

#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr size_t kChecksumBytes = 4;

uint32_t checksum(const ChunkKey& key, uint8_t kind, std::string_view payload) {
  std::string head;
  Writer out(head);
  out.u8(key.tier);
  out.u32be(key.chunk);
  out.u32be(key.id);
  out.u8(kind);
  return crc32c(payload, crc32c(head));
}

}  // namespace

std::optional<Frame> FrameWalk::next() {
  if (rest_.empty()) return std::nullopt;
  Reader in(rest_);
  Frame frame;
  frame.kind = in.u8();
  const uint64_t length = in.varint();
  if (in.failed() || in.remaining() < kChecksumBytes || length > in.remaining() - kChecksumBytes) {
    frame.state = Frame::State::kUnbounded;
    frame.bytes = std::exchange(rest_, {});
    return frame;
  }
  frame.payload = in.bytes(static_cast<size_t>(length));
  if (in.u32be() != checksum(key_, frame.kind, frame.payload)) {
    frame.state = Frame::State::kDamaged;
    frame.payload = {};
  }
  frame.bytes = rest_.substr(0, in.position());
  rest_.remove_prefix(in.position());
  return frame;
}

void append_frame(std::string& out, const ChunkKey& key, FrameKind kind, std::string_view payload) {
  Writer writer(out);
  writer.u8(static_cast<uint8_t>(kind));
  writer.varint(payload.size());
  writer.bytes(payload);
  writer.u32be(checksum(key, static_cast<uint8_t>(kind), payload));
}

}  // namespace statmill
