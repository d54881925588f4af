// Frames: the pieces of a chunk's value that can be checked one by one (storage/FORMAT.md).
//
//   kind u8 | payload length varint | payload | crc32c u32be over tier, chunk, id, kind, payload
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/codec.h"

namespace statmill {

// Stored on disk: never renumber. A new codec gets a new kind.
enum class FrameKind : uint8_t {
  kColumnBuckets = 0x10,  // storage/codec/column_codec.h
  kEntryRun = 0x11,       // storage/codec/entry_run.h
  kHistograms = 0x18,     // storage/codec/histogram_codec.h
  kErase = 0x20,          // empties a range of slots in the frames before it
  kDebris = 0x30,         // bytes that have lost their frame boundaries, kept for inspection
};

// One piece of a value; its views point into the value.
struct Frame {
  enum class State {
    kIntact,
    kDamaged,    // the checksum is wrong; another frame may follow
    kUnbounded,  // its length exceeds the value, so it extends to the end
  };
  State state = State::kIntact;
  uint8_t kind = 0;          // may be unknown
  std::string_view payload;  // of an intact frame
  std::string_view bytes;    // the whole piece
};

// Iterates over the frames of a value in order. The value must outlive it.
class FrameWalk {
 public:
  FrameWalk(const ChunkKey& key, std::string_view value) : key_(key), rest_(value) {}

  std::optional<Frame> next();  // nullopt at the end

 private:
  const ChunkKey key_;
  std::string_view rest_;
};

void append_frame(std::string& out, const ChunkKey& key, FrameKind kind, std::string_view payload);

}  // namespace statmill
