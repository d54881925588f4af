// Codec: buckets of one series and chunk <-> frames, the bytes that the store keeps (storage/FORMAT.md).
//
// A chunk's value is a run of frames, oldest first, each with kind, length and a CRC32C bound to its key. Its
// meaning is found by applying them in order: frames of buckets and of histograms merge slot by slot, an
// erase frame empties a range of slots (a rollup that is made anew erases the old one). Identical on every
// CPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/codec/histogram_window.h"
#include "storage/ids.h"
#include "storage/slot_bucket.h"

namespace statmill {

struct DecodedChunk {
  Combine combine = Combine::kMerge;
  std::vector<SlotBucket> buckets;        // ascending slots, each once, none empty
  std::vector<SlotHistogram> histograms;  // of distributions; likewise
  uint64_t damaged_frames = 0;            // frames that failed their check or are of a later program; skipped
};

struct CompactedChunk {
  std::string value;
  uint64_t damaged_frames = 0;  // as in DecodedChunk; they are in `value` too
};

// One or more frames for `buckets` (ascending slots, each once, none empty, all in the chunk, whose first
// slot is `first_slot`). Equal buckets give equal bytes. Of event buckets only the total is stored.
std::string encode_buckets(const ChunkKey& key, Slot first_slot, Combine combine,
                           std::span<const SlotBucket> buckets);

// One frame for the entries of a window (Window::run), whose slots are all in the chunk. Means the same as
// encode_buckets() of its buckets, costs little more than a copy, and is longer until it is compacted.
std::string encode_entries(const ChunkKey& key, Slot first_slot, Combine combine, std::string_view entries);

// One frame for the histograms of those slots (ascending, each once, none empty, all in the chunk).
std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot,
                                   std::span<const SlotHistogram> histograms);
// The same of those of a window, nearly as they stand, until it is compacted.
std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot, const HistogramWindow::Run& run);

// A frame that empties slots [begin, end) of what precedes it.
std::string encode_erase(const ChunkKey& key, Slot first_slot, Slot begin, Slot end);

// What a reader wants. Of totals count and sum are true and all else holds nothing; averages need no more,
// and it takes a third of the time. Histograms come with all of the buckets, and take many times theirs.
enum class Wanted : uint8_t { kTotals, kBuckets, kHistograms };

// What a value means. Never fails: damaged frames are skipped and counted. `chunk_slots` bounds every slot.
DecodedChunk decode_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value,
                          Wanted wanted = Wanted::kHistograms);

// One value that means the same as `value`, as small as the codec makes it. What cannot be read is carried
// through untouched: damaged frames ahead of the rest, frames of a later program where they stand, for their
// place may matter. Erase frames are kept (they may apply to older values) unless `oldest` says that nothing
// precedes. Associative: runs of a value may be compacted first, and then the whole (buckets of doubles: up
// to rounding).
CompactedChunk compact_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots,
                             std::string_view value, bool oldest);

// Appends frames to a value, so that damage in what is there cannot swallow what comes later: bytes that have
// lost their frame boundaries are wrapped into a frame of their own.
void append_frames(std::string& value, const ChunkKey& key, std::string_view frames);

}  // namespace statmill
