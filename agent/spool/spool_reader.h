// SpoolReader: returns the durable batches of a spool in order, for one connection to a server.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/spool/segment_cursor.h"
#include "agent/spool/spool.h"

namespace statmill {

// Confined to the spool's thread. The spool must outlive it. Uses at most 1 MiB of memory.
class SpoolReader {
 public:
  // Starts at the oldest batch.
  explicit SpoolReader(Spool& spool) : spool_(spool) {}

  // Continues with the first stored batch numbered `seq` or later.
  void seek(uint64_t seq);

  // Returns nullopt if no more batches are durable now. If batches before the record are missing (dropped or
  // damaged), `seq` and `lines_before` jump. Errors: those of the directory; the next call tries again.
  Result<std::optional<SpoolRecord>> next();

 private:
  struct Entered {
    uint64_t first_seq;  // of the segment
    SegmentCursor cursor;
  };
  // Returns whether there is a segment with more records.
  bool enter();
  void leave(const Segment& segment);
  void note_damaged(uint64_t before, uint64_t seq);

  Spool& spool_;
  uint64_t wanted_ = 1;
  uint64_t damaged_ = 0;  // batches since the last returned record
  std::optional<Entered> entered_;
};

}  // namespace statmill
