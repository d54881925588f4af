#include "agent/spool/spool_reader.h"

#include <algorithm>
#include <utility>

namespace statmill {

void SpoolReader::seek(uint64_t seq) {
  wanted_ = seq;
  damaged_ = 0;
  entered_.reset();
}

Result<std::optional<SpoolRecord>> SpoolReader::next() {
  while (enter()) {
    const Segment& segment = *spool_.segment_at(entered_->first_seq);
    SegmentCursor& cursor = entered_->cursor;
    cursor.extend(segment);
    const uint64_t before = cursor.position().seq;
    auto record = cursor.next();
    // A missing file counts as a damaged one.
    if (!record && record.error().code != ErrorCode::kNotFound) return record;
    if (record && record->has_value()) {
      SpoolRecord& found = **record;
      if (found.damaged > 0) note_damaged(before, found.seq - 1);
      if (found.seq < wanted_) continue;
      found.damaged = std::exchange(damaged_, 0);
      wanted_ = found.seq + 1;
      return record;
    }
    if (&segment == &spool_.newest()) break;
    leave(segment);
  }
  return std::optional<SpoolRecord>();
}

bool SpoolReader::enter() {
  if (entered_ && spool_.segment_at(entered_->first_seq) == nullptr) entered_.reset();
  if (entered_) return true;
  const Segment* const segment = spool_.segment_holding(wanted_);
  if (segment == nullptr) return false;
  entered_.emplace(Entered{segment->first_seq(), SegmentCursor(spool_.directory_, *segment)});
  return true;
}

void SpoolReader::leave(const Segment& segment) {
  note_damaged(entered_->cursor.position().seq, segment.last.seq);
  wanted_ = std::max(wanted_, segment.last.seq + 1);
  entered_.reset();
}

void SpoolReader::note_damaged(uint64_t before, uint64_t seq) {
  spool_.count_damaged(entered_->first_seq, before, seq);
  before = std::max(before, wanted_ - 1);
  if (seq > before) damaged_ += seq - before;
}

}  // namespace statmill
