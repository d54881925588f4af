// Reads any bytes as a spool segment, as they are and after a valid header: a cursor returns whole frames
// whose numbers ascend within the segment's bounds, and a spool opens the segment, returns the same records,
// and appends a batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/spool/memory_directory.h"
#include "agent/spool/segment_cursor.h"
#include "agent/spool/spool.h"
#include "agent/spool/spool_reader.h"
#include "base/check.h"

namespace {

using namespace statmill;

constexpr uint64_t kLastSeq = 1000;
const SpoolLocation kLocation{.directory = fact_hash("here")};

// Returns the number of records that the cursor finds.
uint64_t count_records(MemoryDirectory& directory, uint64_t end) {
  Segment segment;
  segment.last.seq = kLastSeq;
  segment.end = end;
  SegmentCursor cursor(directory, segment);
  uint64_t count = 0;
  uint64_t last = 0;
  for (;;) {
    const auto record = cursor.next();
    SM_CHECK(record.has_value());
    if (!record->has_value()) break;
    const FrameRead frame = read_frame((*record)->frame);
    SM_CHECK(frame.state == FrameRead::State::kWhole && frame.bytes == (*record)->frame.size());
    SM_CHECK((*record)->seq > last && (*record)->seq <= kLastSeq);
    SM_CHECK((*record)->damaged == (*record)->seq - last - 1);
    last = (*record)->seq;
    ++count;
  }
  SM_CHECK(cursor.position().seq == last && cursor.end() <= std::max<uint64_t>(end, kSegmentHeaderBytes));
  SM_CHECK(cursor.wasted_bytes() <= SegmentCursor::kWastedBytesMax + kFrameBytesMax);
  return count;
}

void try_segment(const std::string& bytes) {
  MemoryDirectory directory;
  SM_CHECK(directory.replace(segment_name(1), bytes).has_value());
  SM_CHECK(
      directory.replace("identity", encode_identity({.location = kLocation, .has_begun = true})).has_value());
  const uint64_t found = count_records(directory, bytes.size());
  auto spool = Spool::open(directory, {}, kLocation, [] { return uint64_t{1}; });
  if (!spool) return;  // written by a later version
  const uint64_t next = (*spool)->next_seq();
  (*spool)->append({"a 1\n", 1}, Timestamp());
  SM_CHECK((*spool)->sync().has_value());
  SpoolReader reader(**spool);
  uint64_t count = 0;
  uint64_t last = 0;
  for (auto record = reader.next(); record && record->has_value(); record = reader.next()) {
    SM_CHECK((*record)->seq > last);
    last = (*record)->seq;
    ++count;
  }
  SM_CHECK(last == next);
  SM_CHECK(next > kLastSeq || (*spool)->recovery_report().segments_removed > 0 || count == found + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_segment(bytes);
  try_segment(encode_segment_header({.id = {}, .epoch = 1, .before = {}, .previous_end = {}}) + bytes);
  return 0;
}
