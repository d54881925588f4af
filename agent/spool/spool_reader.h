// SpoolReader: the durable batches of a spool, in order, for one connection to a server.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/spool/segment_cursor.h"
#include "agent/spool/spool.h"

namespace statmill {

// Confined to the spool's thread; the spool must outlive it. At most 1 MiB in memory.
class SpoolReader {
 public:
  // Begins with the oldest batch.
  explicit SpoolReader(Spool& spool) : spool_(spool) {}

  // Goes on with the first batch that is held and has this number or a later one.
  void seek(uint64_t seq);

  // None: no more is durable now. What is missing before the record (dropped, or damaged) shows as a jump of
  // seq and lines_before. Errors: those of the directory; the next call tries again.
  Result<std::optional<SpoolRecord>> next();

 private:
  struct Entered {
    uint64_t first_seq;  // of the segment
    SegmentCursor cursor;
  };
  // Whether there is a segment with more.
  bool enter();
  void leave(const Segment& segment);
  void note_damaged(uint64_t before, uint64_t seq);

  Spool& spool_;
  uint64_t wanted_ = 1;
  uint64_t damaged_ = 0;  // batches, since the last one given
  std::optional<Entered> entered_;
};

}  // namespace statmill
