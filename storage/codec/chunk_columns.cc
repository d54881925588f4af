#include "storage/codec/chunk_columns.h"

#include <algorithm>

#include "storage/codec/codec.h"

namespace statmill {

uint64_t decode_columns(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value,
                        SlotColumns& out) {
  Wanted wanted = out.parts.extremes ? Wanted::kBuckets : Wanted::kTotals;
  if (out.parts.histograms) wanted = Wanted::kHistograms;
  DecodedChunk chunk = decode_chunk(key, first_slot, chunk_slots, value, wanted);
  for (const SlotBucket& b : chunk.buckets) {
    if (b.slot < out.begin || b.slot >= out.end()) continue;
    out.add(static_cast<size_t>(b.slot - out.begin), b.bucket, chunk.combine);
  }
  std::erase_if(chunk.histograms,
                [&](const SlotHistogram& h) { return h.slot < out.begin || h.slot >= out.end(); });
  merge_into(out.histograms, chunk.histograms);
  return chunk.damaged_frames;
}

}  // namespace statmill
