// Frames: how a chunk's value is cut into pieces that can be checked one by one (storage/FORMAT.md).
//
//   kind u8 | payload length varint | payload | crc32c u32be over tier, chunk, id, kind, payload
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/codec.h"

namespace statmill {

// Stored on disk: never renumber. A codec of buckets is a kind: a later one lives beside those before it.
enum class FrameKind : uint8_t {
  kVarintBuckets = 0x10,  // storage/codec/varint_codec.h, read only
  kColumnBuckets = 0x11,  // storage/codec/column_codec.h
  kEntryRun = 0x12,       // storage/codec/entry_run.h
  kHistograms = 0x18,     // storage/codec/histogram_codec.h
  kErase = 0x20,          // a range of slots that precedes it is void
  kDebris = 0x30,         // bytes whose frame boundaries were lost, kept for a person to look at
};

// A piece of a value, as views into it.
struct Frame {
  enum class State {
    kIntact,
    kDamaged,    // the checksum is wrong; the next frame follows
    kUnbounded,  // its length runs over the end: this is all the rest of the value
  };
  State state = State::kIntact;
  uint8_t kind = 0;          // may be one we do not know
  std::string_view payload;  // of an intact frame
  std::string_view bytes;    // the whole piece
};

// Gives the frames of a value in order. The value must outlive it.
class FrameWalk {
 public:
  FrameWalk(const ChunkKey& key, std::string_view value) : key_(key), rest_(value) {}

  std::optional<Frame> next();

 private:
  const ChunkKey key_;
  std::string_view rest_;
};

void append_frame(std::string& out, const ChunkKey& key, FrameKind kind, std::string_view payload);

}  // namespace statmill
