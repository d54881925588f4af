// What a frame of each kind does to the content of a chunk, whatever form the content has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "storage/codec/frames.h"

namespace statmill {

struct ChunkPlace {
  ChunkKey key;
  Slot first_slot = 0;
  int64_t chunk_slots = 0;
};

// Half-open.
struct SlotRange {
  Slot begin = 0;
  Slot end = 0;
};

enum class FrameOutcome : uint8_t {
  kApplied,
  kDamaged,
  kForeign,  // intact, but of unknown kind: no frame may be moved across it
};

// How the buckets of a chunk combine: as those of its first frame.
class ChunkCombine {
 public:
  // Returns false if an earlier frame combines in the other way.
  bool agrees(Combine combine) {
    if (combine_.value_or(combine) != combine) return false;
    combine_ = combine;
    return true;
  }
  Combine value() const { return combine_.value_or(Combine::kMerge); }

 private:
  std::optional<Combine> combine_;
};

// Returns nullopt if no encoder writes such a payload.
inline std::optional<SlotRange> decode_erase(const ChunkPlace& place, std::string_view payload) {
  Reader in(payload);
  const uint64_t offset = in.varint();
  const uint64_t count = in.varint();
  const auto slots = static_cast<uint64_t>(place.chunk_slots);
  if (in.failed() || !in.done() || offset >= slots || count == 0 || count > slots - offset)
    return std::nullopt;
  const Slot begin = place.first_slot + static_cast<Slot>(offset);
  return SlotRange{begin, begin + static_cast<Slot>(count)};
}

// `content` has apply_group, apply_entry_run and apply_histograms, which take a payload and return an
// outcome, and erase, which takes a range.
template <class Content>
FrameOutcome apply_frame(const ChunkPlace& place, const Frame& frame, Content& content) {
  if (frame.state != Frame::State::kIntact) return FrameOutcome::kDamaged;
  switch (static_cast<FrameKind>(frame.kind)) {
    case FrameKind::kColumnBuckets:
      return content.apply_group(frame.payload);
    case FrameKind::kEntryRun:
      return content.apply_entry_run(frame.payload);
    case FrameKind::kHistograms:
      return content.apply_histograms(frame.payload);
    case FrameKind::kErase: {
      const std::optional<SlotRange> range = decode_erase(place, frame.payload);
      if (!range) return FrameOutcome::kDamaged;
      content.erase(*range);
      return FrameOutcome::kApplied;
    }
    case FrameKind::kDebris:
      return FrameOutcome::kDamaged;
  }
  return FrameOutcome::kForeign;
}

}  // namespace statmill
