// See rollup.h.
#include "storage/rollup.h"

#include <algorithm>

namespace statmill {
namespace {

struct Place {
  TierNo tier_no = 0;
  const Tier& tier;
  SeriesId id = 0;
  ChunkNo oldest = 0;
};

// What `encode` makes of each chunk's part.
template <class OfSlot, class Encode>
void add_chunks(std::vector<StoreBatch::Fragment>& out, const Place& place, std::span<const OfSlot> all,
                const Encode& encode) {
  for (size_t begin = 0; begin < all.size();) {
    const ChunkNo chunk = place.tier.chunk_of_slot(all[begin].slot);
    size_t end = begin + 1;
    while (end < all.size() && place.tier.chunk_of_slot(all[end].slot) == chunk) ++end;
    if (chunk >= place.oldest) {
      const ChunkKey key{place.tier_no, chunk, place.id};
      const Slot first = static_cast<Slot>(chunk) * place.tier.chunk_slots;
      out.push_back({key, encode(key, first, all.subspan(begin, end - begin))});
    }
    begin = end;
  }
}

}  // namespace

std::vector<SlotBucket> roll_up(std::span<const SlotBucket> fine, const Tier& from, const Tier& to,
                                Kind kind) {
  std::vector<SlotBucket> out;
  const int64_t ratio = to.step_s / from.step_s;
  for (const SlotBucket& f : fine) {
    const Slot slot = f.slot / ratio;
    if (out.empty() || out.back().slot != slot) out.push_back({slot, {}});
    out.back().bucket.merge(kind == Kind::kEvent ? f.bucket.event_rate(from.step_s) : f.bucket);
  }
  return out;
}

std::vector<SlotHistogram> roll_up(std::span<const SlotHistogram> fine, const Tier& from, const Tier& to) {
  std::vector<SlotHistogram> out;
  const int64_t ratio = to.step_s / from.step_s;
  for (const SlotHistogram& f : fine) {
    const Slot slot = f.slot / ratio;
    if (out.empty() || out.back().slot != slot) out.push_back({slot, {}});
    out.back().histogram.merge(f.histogram);
  }
  return out;
}

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotBucket> buckets, ChunkNo oldest) {
  add_chunks(out, {tier_no, tier, id, oldest}, buckets,
             [](const ChunkKey& key, Slot first, std::span<const SlotBucket> of_chunk) {
               return encode_buckets(key, first, Combine::kMerge, of_chunk);
             });
}

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotHistogram> histograms, ChunkNo oldest) {
  add_chunks(out, {tier_no, tier, id, oldest}, histograms,
             [](const ChunkKey& key, Slot first, std::span<const SlotHistogram> of_chunk) {
               return encode_histogram_frame(key, first, of_chunk);
             });
}

ChunkNo oldest_kept(const Tier& tier, int64_t now_s) {
  return tier.chunk_of_time(std::max<int64_t>(0, now_s - tier.retention_s));
}

}  // namespace statmill
