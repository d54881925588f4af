// Reads any bytes as the value of a chunk. The first byte of the input selects a frame kind, which wraps the
// rest with a valid checksum, or 0 for raw bytes. Decoding returns buckets and histograms within the chunk,
// in ascending order, none empty. Compaction does not change the decoded data, and a second compaction does
// not change the bytes. Encoding the decoded buckets and decoding them again returns the same buckets.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "storage/codec/codec.h"
#include "storage/codec/frames.h"

namespace {

using namespace statmill;

constexpr ChunkKey kKey{0, 7, 42};
constexpr int64_t kChunkSlots = 2160;
constexpr Slot kFirst = 7 * kChunkSlots;

DecodedChunk decode(std::string_view value) { return decode_chunk(kKey, kFirst, kChunkSlots, value); }

void check_slots(const DecodedChunk& decoded) {
  Slot next = kFirst;
  for (const SlotBucket& b : decoded.buckets) {
    SM_CHECK(b.slot >= next && b.slot < kFirst + kChunkSlots && !b.bucket.is_empty());
    next = b.slot + 1;
  }
  next = kFirst;
  for (const SlotHistogram& h : decoded.histograms) {
    SM_CHECK(h.slot >= next && h.slot < kFirst + kChunkSlots && !h.histogram.is_empty());
    SM_CHECK(h.histogram.cells().size() <= SparseHistogram::kCellsMax);
    next = h.slot + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string value(data[0] == 0 ? bytes : std::string_view());
  if (data[0] != 0) append_frame(value, kKey, static_cast<FrameKind>(data[0]), bytes);
  const DecodedChunk decoded = decode(value);
  check_slots(decoded);
  const CompactedChunk compacted = compact_chunk(kKey, kFirst, kChunkSlots, value, true);
  const DecodedChunk again = decode(compacted.value);
  SM_CHECK(compacted.damaged_frames == decoded.damaged_frames &&
           again.damaged_frames == decoded.damaged_frames);
  SM_CHECK(again.buckets == decoded.buckets && again.combine == decoded.combine);
  SM_CHECK(again.histograms == decoded.histograms);
  SM_CHECK(compact_chunk(kKey, kFirst, kChunkSlots, compacted.value, true).value == compacted.value);
  const std::string encoded = encode_buckets(kKey, kFirst, decoded.combine, decoded.buckets);
  SM_CHECK(decode(encoded).buckets == decoded.buckets && decode(encoded).damaged_frames == 0);
  return 0;
}
