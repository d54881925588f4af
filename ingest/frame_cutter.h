// FrameCutter: cuts a stream into frames, each with its length in front. It keeps the unfinished frame, up to
// a limit.
//
// The sizes of the reads do not matter. A frame that is whole in a read is not copied. Memory grows with the
// bytes that have arrived, not with the length that a sender announces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/unfinished_line.h"

namespace statmill {

// How the TCP streams of a dialect are cut.
struct StreamFormat {
  enum class Unit : uint8_t {
    kLines,
    kBigEndianFrames,     // a length of 4 bytes, the highest first; then as many bytes
    kLittleEndianFrames,  // the lowest byte first
  };
  Unit unit = Unit::kLines;
  size_t frame_bytes_max = 0;

  bool has_frames() const { return unit != Unit::kLines; }
};

// Thread-compatible.
class FrameCutter {
 public:
  static constexpr size_t kLengthBytes = 4;

  enum class State : uint8_t {
    kNeedsMore,
    kWhole,    // `bytes` is a frame without its length
    kNoRoom,   // the budget has no room for a frame that begins with `bytes`; the rest of it is skipped
    kTooLong,  // the length is over the limit; `bytes` is how the stream goes on, with that length
  };
  struct Found {
    State state = State::kNeedsMore;
    std::string_view bytes;  // valid until the next call
  };

  // Requires: format.has_frames(). `budget` must outlive it.
  FrameCutter(StreamFormat format, UnfinishedBytes& budget) : format_(format), unfinished_(budget) {}

  // Consumes the next bytes of the stream up to the end of a frame. After kTooLong the stream cannot be read
  // on.
  Found next(std::string_view& fresh);
  // Returns true if the stream ends here inside a frame that no call has returned or skipped.
  bool has_unfinished() const { return !is_returned_ && !unfinished_.text().empty(); }
  std::string_view unfinished() const { return unfinished_.text(); }
  void clear() { unfinished_.clear(); }

 private:
  static constexpr size_t kBeginningBytes = 256;  // of a frame that is too long, for the log

  size_t frame_bytes(std::string_view length) const;
  Found too_long(std::string_view fresh);

  const StreamFormat format_;
  UnfinishedLine unfinished_;  // with the length
  bool is_returned_ = false;   // unfinished_ is the frame that the last call has returned
  size_t skipped_bytes_ = 0;   // that still have to be skipped
};

}  // namespace statmill
