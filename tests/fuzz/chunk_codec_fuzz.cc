// Reads any bytes as the value of a chunk. The first byte of the input selects a frame kind, which wraps the
// rest with a valid checksum, or 0 for raw bytes. Decoding returns buckets and histograms within the chunk,
// in ascending order, none empty. Compaction does not change the decoded data, and a second compaction does
// not change the bytes. Columns hold the same buckets. Encoding the decoded buckets and decoding them again
// returns the same buckets.
// returns the same buckets.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "storage/codec/chunk_columns.h"
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

// Columns hold the same buckets, of any range. Doubles may be rounded in another way.
void check_columns(std::string_view value, const DecodedChunk& decoded, Slot begin, size_t size) {
  SlotColumns columns(begin, size, {.extremes = true, .squares = true, .histograms = true});
  SM_CHECK(decode_columns(kKey, kFirst, kChunkSlots, value, columns) == decoded.damaged_frames);
  size_t inside = 0;
  for (const SlotBucket& b : decoded.buckets) {
    if (b.slot < columns.begin || b.slot >= columns.end()) continue;
    ++inside;
    const Bucket got = columns.bucket_at(static_cast<size_t>(b.slot - begin));
    SM_CHECK(got.count() == b.bucket.count() && got.is_decimal() == b.bucket.is_decimal());
    SM_CHECK(!got.is_decimal() || got == b.bucket);
  }
  SM_CHECK(columns.present.count() == inside);
  std::vector<SlotHistogram> histograms = decoded.histograms;
  std::erase_if(histograms,
                [&](const SlotHistogram& h) { return h.slot < columns.begin || h.slot >= columns.end(); });
  SM_CHECK(columns.histograms == histograms);
  for (const Parts parts : {Parts{}, Parts{.extremes = true}}) {  // fewer parts: no more may be read
    SlotColumns some(begin, size, parts);
    SM_CHECK(decode_columns(kKey, kFirst, kChunkSlots, value, some) <= decoded.damaged_frames);
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
  check_columns(value, decoded, kFirst, kChunkSlots);
  check_columns(value, decoded, kFirst + data[size - 1] - 20, data[0]);
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
