// SegmentCursor: the records of one segment, in order, whatever bytes are in the file.
//
// A record is given only when its checksum is right and its number can stand where it stands. Behind a
// damaged one the cursor goes on at the next place where such a record begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "proto/agent/frames.h"

namespace statmill {

// A batch as it stands in the spool.
struct SpoolRecord {
  std::string_view frame;  // of the wire, whole; valid until its reader's next call
  uint64_t seq = 0;
  uint64_t lines_before = 0;
  uint32_t lines = 0;
  Timestamp time{};
  uint64_t damaged = 0;  // batches just before it that are there, but damaged
};

// Confined to one thread. Holds a piece of the file (256 KiB) and one frame in memory.
class SegmentCursor {
 public:
  // Bytes whose checksums are worked out in vain: beyond, the rest of the segment is taken as damaged. What
  // is not damaged costs none of it; it bounds the time that bytes made for the purpose can take.
  static constexpr uint64_t kVainBytesMax = 64 << 20;

  // From the first record of `segment` to its last. The directory must outlive the cursor.
  SegmentCursor(SpoolDirectory& directory, const Segment& segment);

  // The segment has grown.
  void extend(const Segment& segment);

  // None: no more (for now, if the segment grows). Errors: those of the directory; the next call tries again.
  Result<std::optional<SpoolRecord>> next();

  // Behind the last record given.
  SpoolPosition position() const { return position_; }
  uint64_t end() const { return end_; }
  uint64_t vain_bytes() const { return vain_bytes_; }

 private:
  Result<std::string_view> bytes_ahead(size_t count);
  // A record at the offset, if there is one; else it goes a byte ahead.
  Result<std::optional<SpoolRecord>> step();
  bool is_plausible(uint64_t seq) const;
  SpoolRecord accept(const BatchFrame& batch, std::string_view frame);

  SpoolDirectory& directory_;
  const std::string name_;
  SpoolPosition position_;
  uint64_t end_ = kSegmentHeaderBytes;
  uint64_t last_seq_;
  uint64_t limit_;  // of the bytes to read
  uint64_t offset_ =
      kSegmentHeaderBytes;  // of the next byte to look at; offset_ - end_ have been passed over
  uint64_t vain_bytes_ = 0;
  std::string buffer_;
  uint64_t buffer_offset_ = kSegmentHeaderBytes;  // in the file, of buffer_; <= offset_ <= that of its end
};

}  // namespace statmill
