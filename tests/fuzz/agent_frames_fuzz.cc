// Reads any bytes as the agent stream: each whole frame is decoded or refused, and a decoded frame survives a
// round trip.
#include <cstdlib>
#include <string>
#include <string_view>

#include "proto/agent/frames.h"

namespace {

using namespace statmill;

void require(bool condition) {
  if (!condition) std::abort();
}

template <class Frame>
std::string encoded(const Frame& frame) {
  std::string out;
  append_frame(out, frame);
  return out;
}

// Requires that encoding a decoded frame, decoding it and encoding it again yields the same bytes.
template <class Decode>
void round_trip(std::string_view payload, Decode decode) {
  const auto frame = decode(payload);
  if (!frame) return;
  const std::string once = encoded(*frame);
  const FrameRead read = read_frame(once);
  require(read.state == FrameRead::State::kWhole && read.bytes == once.size());
  const auto again = decode(read.payload);
  require(again.has_value() && encoded(*again) == once);
}

void decode_all(std::string_view payload) {
  round_trip(payload, decode_hello);
  round_trip(payload, decode_batch);
  round_trip(payload, decode_gap);
  round_trip(payload, decode_status);
  round_trip(payload, decode_welcome);
  round_trip(payload, decode_ack);
  if (const auto refuse = decode_refuse(payload)) require(!refuse_reason_text(refuse->reason).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  decode_all(bytes);
  for (;;) {
    const FrameRead read = read_frame(bytes);
    require(read.state != FrameRead::State::kIncomplete || read.bytes > bytes.size());
    if (read.state != FrameRead::State::kWhole) return 0;
    decode_all(read.payload);
    bytes.remove_prefix(read.bytes);
  }
}
