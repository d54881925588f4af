// Applies frames: frames.h cuts a value into them, column_codec.h and others encode their payloads.
#include "storage/codec/codec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "storage/codec/apply_frame.h"
#include "storage/codec/column_codec.h"
#include "storage/codec/entry_run.h"
#include "storage/codec/frames.h"
#include "storage/codec/histogram_codec.h"

namespace statmill {
namespace {

// Adds a range to ascending, disjoint ones and merges it with those that touch it.
void add_range(std::vector<SlotRange>& ranges, SlotRange range) {
  std::erase_if(ranges, [&range](const SlotRange& r) {
    if (r.end < range.begin || r.begin > range.end) return false;
    range = {std::min(r.begin, range.begin), std::max(r.end, range.end)};
    return true;
  });
  const auto after =
      std::find_if(ranges.begin(), ranges.end(), [&](const SlotRange& r) { return r.begin > range.end; });
  ranges.insert(after, range);
}

// The result of applying frames in order, as lists of buckets and histograms.
class Content {
 public:
  explicit Content(const ChunkPlace& place) : place_(place) {}

  FrameOutcome apply(const Frame& frame) { return apply_frame(place_, frame, *this); }

  FrameOutcome apply_group(std::string_view payload) {
    return apply_buckets(decode_group(payload, place_.first_slot, place_.chunk_slots));
  }
  FrameOutcome apply_entry_run(std::string_view payload) {
    return apply_buckets(decode_entry_run(payload, place_.first_slot, place_.chunk_slots));
  }
  FrameOutcome apply_histograms(std::string_view payload) {
    auto histograms = decode_histograms(payload, place_.first_slot, place_.chunk_slots);
    if (!histograms) return FrameOutcome::kDamaged;
    if (histograms_.empty()) {
      histograms_ = std::move(*histograms);
    } else {
      merge_into(histograms_, *histograms);
    }
    return FrameOutcome::kApplied;
  }
  void erase(const SlotRange& range) {
    const auto is_erased = [&](const auto& at) { return at.slot >= range.begin && at.slot < range.end; };
    std::erase_if(buckets_, is_erased);
    std::erase_if(histograms_, is_erased);
    add_range(erased_, range);
  }

  // Forgets buckets and erased ranges, but not how buckets combine, which is the same for the whole chunk.
  void clear() {
    buckets_.clear();
    histograms_.clear();
    erased_.clear();
  }

  Combine combine() const { return combine_.value(); }
  std::vector<SlotBucket>& buckets() { return buckets_; }
  std::vector<SlotHistogram>& histograms() { return histograms_; }
  const std::vector<SlotRange>& erased() const { return erased_; }

 private:
  FrameOutcome apply_buckets(std::optional<DecodedGroup> group) {
    if (!group) return FrameOutcome::kDamaged;
    if (!combine_.agrees(group->combine)) return FrameOutcome::kForeign;
    if (buckets_.empty()) {
      buckets_ = std::move(group->buckets);
    } else {
      combine_into(buckets_, group->buckets, group->combine);
    }
    return FrameOutcome::kApplied;
  }

  const ChunkPlace place_;
  ChunkCombine combine_;
  std::vector<SlotBucket> buckets_;
  std::vector<SlotHistogram> histograms_;
  std::vector<SlotRange> erased_;
};

void append_content(std::string& out, const ChunkPlace& place, Content& content, bool oldest) {
  if (!oldest) {
    for (const SlotRange& r : content.erased())
      out += encode_erase(place.key, place.first_slot, r.begin, r.end);
  }
  out += encode_buckets(place.key, place.first_slot, content.combine(), content.buckets());
  if (!content.histograms().empty())
    out += encode_histogram_frame(place.key, place.first_slot, content.histograms());
}

void append_as_it_is(std::string& out, const ChunkKey& key, const Frame& frame) {
  if (frame.state == Frame::State::kUnbounded) {
    append_frame(out, key, FrameKind::kDebris, frame.bytes);
  } else {
    out += frame.bytes;
  }
}

}  // namespace

std::string encode_buckets(const ChunkKey& key, Slot first_slot, Combine combine,
                           std::span<const SlotBucket> buckets) {
  std::string out;
  for (const Group& group : group_buckets(combine, buckets)) {
    append_frame(out, key, FrameKind::kColumnBuckets, encode_group(group, first_slot));
  }
  return out;
}

std::string encode_entries(const ChunkKey& key, Slot first_slot, Combine combine, std::string_view entries) {
  std::string out;
  append_frame(out, key, FrameKind::kEntryRun, encode_entry_run(combine, first_slot, entries));
  return out;
}

std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot,
                                   std::span<const SlotHistogram> histograms) {
  std::string out;
  append_frame(out, key, FrameKind::kHistograms, encode_histograms(histograms, first_slot));
  return out;
}

std::string encode_histogram_frame(const ChunkKey& key, Slot first_slot, const HistogramWindow::Run& run) {
  std::string out;
  append_frame(out, key, FrameKind::kHistograms, encode_histograms(run, first_slot));
  return out;
}

std::string encode_erase(const ChunkKey& key, Slot first_slot, Slot begin, Slot end) {
  SM_CHECK(first_slot <= begin && begin < end);
  std::string payload;
  Writer writer(payload);
  writer.varint(static_cast<uint64_t>(begin - first_slot));
  writer.varint(static_cast<uint64_t>(end - begin));
  std::string out;
  append_frame(out, key, FrameKind::kErase, payload);
  return out;
}

DecodedChunk decode_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value) {
  DecodedChunk decoded;
  Content content({key, first_slot, chunk_slots});
  FrameWalk walk(key, value);
  while (const std::optional<Frame> frame = walk.next()) {
    if (content.apply(*frame) != FrameOutcome::kApplied) ++decoded.damaged_frames;
  }
  decoded.combine = content.combine();
  decoded.buckets = std::move(content.buckets());
  decoded.histograms = std::move(content.histograms());
  return decoded;
}

CompactedChunk compact_chunk(const ChunkKey& key, Slot first_slot, int64_t chunk_slots,
                             std::string_view value, bool oldest) {
  const ChunkPlace place{key, first_slot, chunk_slots};
  CompactedChunk compacted;
  Content content(place);
  FrameWalk walk(key, value);
  while (const std::optional<Frame> frame = walk.next()) {
    const FrameOutcome outcome = content.apply(*frame);
    if (outcome == FrameOutcome::kApplied) continue;
    ++compacted.damaged_frames;
    if (outcome == FrameOutcome::kForeign) {
      append_content(compacted.value, place, content, oldest);
      content.clear();
      oldest = false;
    }
    append_as_it_is(compacted.value, key, *frame);
  }
  append_content(compacted.value, place, content, oldest);
  return compacted;
}

void append_frames(std::string& value, const ChunkKey& key, std::string_view frames) {
  FrameWalk walk(key, frames);
  while (const std::optional<Frame> frame = walk.next()) append_as_it_is(value, key, *frame);
}

}  // namespace statmill
