#include "agent/spool/segment_cursor.h"

#include <algorithm>

#include "base/bytes.h"

namespace statmill {
namespace {

constexpr size_t kReadBytes = 256 * 1024;  // read at once
constexpr size_t kLengthBytes = 4;
constexpr size_t kFrameChecksumBytes = 4;
constexpr size_t kBatchHeadBytes = 8 + 8 + 4 + 8;  // numbers and time in the payload
// no tags; a text has at least an LF
constexpr size_t kRecordBytesMin = kFrameHeaderBytes + kBatchHeadBytes + 2;

// The first fields of a possible record, before its checksum is verified.
struct RecordHead {
  static constexpr size_t kBytes = kFrameHeaderBytes + 8;
  size_t bytes = 0;
  FrameType type{};
  uint64_t seq = 0;
};

RecordHead read_head(std::string_view bytes) {
  Reader reader(bytes);
  RecordHead head;
  head.bytes = kLengthBytes + kFrameChecksumBytes + size_t{reader.u32be()};
  reader.bytes(kFrameChecksumBytes);
  head.type = static_cast<FrameType>(reader.u8());
  head.seq = reader.u64be();
  return head;
}

}  // namespace

SegmentCursor::SegmentCursor(SpoolDirectory& directory, const Segment& segment)
    : directory_(directory),
      name_(segment.name()),
      position_(segment.before),
      last_seq_(segment.last.seq),
      limit_(segment.end) {}

void SegmentCursor::extend(const Segment& segment) {
  last_seq_ = segment.last.seq;
  limit_ = std::max(limit_, segment.end);
}

Result<std::optional<SpoolRecord>> SegmentCursor::next() {
  while (position_.seq < last_seq_ && offset_ + kRecordBytesMin <= limit_) {
    auto record = step();
    if (!record || record->has_value()) return record;
  }
  return std::optional<SpoolRecord>();
}

Result<std::optional<SpoolRecord>> SegmentCursor::step() {
  auto bytes = bytes_ahead(RecordHead::kBytes);
  if (!bytes) return bytes.error();
  // the file is shorter than expected
  if (bytes->size() < RecordHead::kBytes) return std::optional<SpoolRecord>();
  const RecordHead head = read_head(*bytes);
  const bool is_possible = head.type == FrameType::kBatch && head.bytes >= kRecordBytesMin &&
                           head.bytes <= kFrameBytesMax && head.bytes <= limit_ - offset_ &&
                           is_plausible(head.seq) && wasted_bytes_ <= kWastedBytesMax;
  if (is_possible) {
    bytes = bytes_ahead(head.bytes);
    if (!bytes) return bytes.error();
    const std::string_view frame = bytes->substr(0, head.bytes);
    const FrameRead read = read_frame(frame);
    if (read.state == FrameRead::State::kWhole) {
      const auto batch = decode_batch(read.payload);
      if (batch && batch->lines_before >= position_.lines) return std::optional(accept(*batch, frame));
    }
    wasted_bytes_ += head.bytes;
  }
  ++offset_;
  return std::optional<SpoolRecord>();
}

// Each skipped record occupied space in the file, which bounds the number of the next record.
bool SegmentCursor::is_plausible(uint64_t seq) const {
  return seq > position_.seq && seq <= last_seq_ &&
         seq - position_.seq - 1 <= (offset_ - end_) / kRecordBytesMin;
}

SpoolRecord SegmentCursor::accept(const BatchFrame& batch, std::string_view frame) {
  const SpoolRecord record{.frame = frame,
                           .seq = batch.seq,
                           .lines_before = batch.lines_before,
                           .lines = batch.lines,
                           .time = batch.time,
                           .damaged = batch.seq - position_.seq - 1};
  position_ = {batch.seq, batch.lines_before + batch.lines};
  offset_ += frame.size();
  end_ = offset_;
  return record;
}

// Returns the bytes from offset_: at least `count`, fewer only at the end of the file.
Result<std::string_view> SegmentCursor::bytes_ahead(size_t count) {
  const auto consumed = static_cast<size_t>(offset_ - buffer_offset_);
  const size_t buffered = buffer_.size() - consumed;
  if (buffered < count) {
    buffer_.erase(0, consumed);
    buffer_offset_ = offset_;
    const uint64_t read_from = offset_ + buffered;
    const uint64_t wanted = std::min<uint64_t>(std::max(count - buffered, kReadBytes), limit_ - read_from);
    const auto read = directory_.read(name_, read_from, static_cast<size_t>(wanted));
    if (!read) return read.error();
    buffer_ += *read;
    if (read->size() < wanted) limit_ = read_from + read->size();  // the file was truncated
  }
  return std::string_view(buffer_).substr(static_cast<size_t>(offset_ - buffer_offset_));
}

}  // namespace statmill
