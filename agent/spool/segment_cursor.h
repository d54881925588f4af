// SegmentCursor: reads the records of one segment in order, whatever bytes the file contains.
//
// A record is returned only if its checksum is correct and its number is possible at this point. After damage
// the cursor continues at the next offset where such a record begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/spool/segment.h"
#include "agent/spool/spool_directory.h"
#include "proto/agent/frames.h"

namespace statmill {

// A batch as stored in the spool.
struct SpoolRecord {
  std::string_view frame;  // a complete frame of the wire format; valid until the next call of its reader
  uint64_t seq = 0;
  uint64_t lines_before = 0;
  uint32_t lines = 0;
  Timestamp time{};
  uint64_t damaged = 0;  // number of damaged batches directly before this one
};

// Confined to one thread. Keeps a part of the file (256 KiB) and one frame in memory.
class SegmentCursor {
 public:
  // How many bytes of failed checksums the cursor computes; after that it treats the rest of the
  // segment as damaged. Undamaged records do not count. This bounds the time that maliciously
  // constructed bytes can cost.
  static constexpr uint64_t kWastedBytesMax = 64 << 20;

  // Reads from the first record of `segment` to its last. The directory must outlive the cursor.
  SegmentCursor(SpoolDirectory& directory, const Segment& segment);

  // Call when the segment has grown.
  void extend(const Segment& segment);

  // Returns nullopt if there are no more records (yet, if the segment is growing). Errors: those of the
  // directory; the next call tries again.
  Result<std::optional<SpoolRecord>> next();

  // The position after the last returned record.
  SpoolPosition position() const { return position_; }
  uint64_t end() const { return end_; }
  uint64_t wasted_bytes() const { return wasted_bytes_; }

 private:
  Result<std::string_view> bytes_ahead(size_t count);
  // Returns the record at offset_, if there is one; otherwise advances offset_ by one byte.
  Result<std::optional<SpoolRecord>> step();
  bool is_plausible(uint64_t seq) const;
  SpoolRecord accept(const BatchFrame& batch, std::string_view frame);

  SpoolDirectory& directory_;
  const std::string name_;
  SpoolPosition position_;
  uint64_t end_ = kSegmentHeaderBytes;
  uint64_t last_seq_;
  uint64_t limit_;  // end of the readable bytes
  // of the next byte to look at; the bytes from end_ to here were skipped
  uint64_t offset_ = kSegmentHeaderBytes;
  uint64_t wasted_bytes_ = 0;
  std::string buffer_;
  uint64_t buffer_offset_ = kSegmentHeaderBytes;  // file offset of buffer_; <= offset_ <= offset of its end
};

}  // namespace statmill
