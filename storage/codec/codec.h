// Codec: buckets of one series and chunk <-> frames, the bytes that the store keeps (storage/FORMAT.md).
//
// A chunk's value is a sequence of frames, oldest first, each with kind, length and a CRC32C bound to its
// key. To read a chunk, apply its frames in order: frames of buckets and of histograms merge slot by slot, an
// erase frame empties a range of slots (a repeated rollup erases the previous one). The bytes are the same on
// every CPU.
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
  std::vector<SlotHistogram> histograms;  // of distributions: ascending slots, each once, none empty
  uint64_t damaged_frames = 0;            // skipped: their check failed, or their kind is unknown
};

struct CompactedChunk {
  std::string value;            // the frames, including damaged ones
  uint64_t damaged_frames = 0;  // as in DecodedChunk
};

// Returns one or more frames for `buckets`. Equal buckets yield equal bytes. For event buckets only the total
// is stored. Requires: ascending slots, each once, none empty, all in the chunk whose first slot is
// `first_slot`.
std::string encode_buckets(const ChunkKey& key, Slot first_slot, Combine combine,
                           std::span<const SlotBucket> buckets);

// Returns one frame for the entries of a window (Window::run). It means the same as encode_buckets() of the
// same buckets and costs little more than a copy, but is longer until it is compacted. Requires: all slots
// are in the chunk.
std::string encode_entries(const ChunkKey& key, Slot first_slot, Combine combine, std::string_view entries);

// Returns one frame for the histograms. Requires: ascending slots, each once, none empty, all in the chunk.
std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot,
                                   std::span<const SlotHistogram> histograms);
// The same for the histograms of a window, copied nearly as they are; longer until it is compacted.
std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot, const HistogramWindow::Run& run);

// Returns a frame that empties slots [begin, end) in all frames before it.
std::string encode_erase(const ChunkKey& key, Slot first_slot, Slot begin, Slot end);

// Decodes a value. Never fails: damaged frames are skipped and counted. `chunk_slots` bounds every slot.
DecodedChunk decode_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value);

// Returns one value with the same meaning as `value`, as small as the codec can make it. Frames that cannot
// be read are kept untouched: damaged frames move to the front, frames of unknown kind keep their position,
// since it may matter. Erase frames are kept (they may apply to older values) unless `oldest` says that no
// older value exists. Associative: parts of a value may be compacted first, then the whole (up to rounding
// for buckets of doubles).
CompactedChunk compact_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots,
                             std::string_view value, bool oldest);

// Appends frames to a value such that damage in it cannot affect the new frames: existing bytes that have
// lost their frame boundaries are wrapped into a frame of their own.
void append_frames(std::string& value, const ChunkKey& key, std::string_view frames);

}  // namespace statmill
