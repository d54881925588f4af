#include "ingest/frame_cutter.h"

#include <algorithm>
#include <utility>

namespace statmill {

size_t FrameCutter::frame_bytes(std::string_view length) const {
  const bool is_big_endian = format_.unit == StreamFormat::Unit::kBigEndianFrames;
  size_t bytes = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    const size_t shift = 8 * (is_big_endian ? kLengthBytes - 1 - i : i);
    bytes |= size_t{static_cast<uint8_t>(length[i])} << shift;
  }
  return bytes;
}

FrameCutter::Found FrameCutter::next(std::string_view& fresh) {
  if (std::exchange(is_returned_, false)) unfinished_.clear();
  const size_t skipped = std::min(skipped_bytes_, fresh.size());
  skipped_bytes_ -= skipped;
  fresh.remove_prefix(skipped);
  while (!fresh.empty()) {
    const size_t held = unfinished_.text().size();
    if (held == 0 && fresh.size() >= kLengthBytes) {
      const size_t bytes = frame_bytes(fresh);
      if (bytes <= format_.frame_bytes_max && bytes <= fresh.size() - kLengthBytes) {
        const std::string_view frame = fresh.substr(kLengthBytes, bytes);
        fresh.remove_prefix(kLengthBytes + bytes);
        return {State::kWhole, frame};
      }
    }
    const size_t whole = kLengthBytes + (held < kLengthBytes ? 0 : frame_bytes(unfinished_.text()));
    const std::string_view part = fresh.substr(0, whole - held);
    fresh.remove_prefix(part.size());
    if (!unfinished_.append(part)) {
      skipped_bytes_ = whole - held - part.size();
      return {State::kNoRoom, part};
    }
    const std::string_view text = unfinished_.text();
    if (text.size() < kLengthBytes) break;
    const size_t bytes = frame_bytes(text);
    if (bytes > format_.frame_bytes_max) return too_long(fresh);
    if (text.size() < kLengthBytes + bytes) continue;
    is_returned_ = true;
    return {State::kWhole, text.substr(kLengthBytes)};
  }
  return {};
}

FrameCutter::Found FrameCutter::too_long(std::string_view fresh) {
  unfinished_.append(fresh.substr(0, kBeginningBytes));  // with so few bytes it cannot fail
  is_returned_ = true;
  return {State::kTooLong, unfinished_.text()};
}

}  // namespace statmill
