// See rollup.h.
#include "storage/rollup.h"

#include <algorithm>

namespace statmill {

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

void add_fragments(std::vector<StoreBatch::Fragment>& out, TierNo tier_no, const Tier& tier, SeriesId id,
                   std::span<const SlotBucket> buckets, ChunkNo oldest) {
  for (size_t begin = 0; begin < buckets.size();) {
    const ChunkNo chunk = tier.chunk_of_slot(buckets[begin].slot);
    size_t end = begin + 1;
    while (end < buckets.size() && tier.chunk_of_slot(buckets[end].slot) == chunk) ++end;
    if (chunk >= oldest) {
      const ChunkKey key{tier_no, chunk, id};
      const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
      out.push_back({key, encode_buckets(key, first, Combine::kMerge, buckets.subspan(begin, end - begin))});
    }
    begin = end;
  }
}

ChunkNo oldest_kept(const Tier& tier, int64_t now_s) {
  return tier.chunk_of_time(std::max<int64_t>(0, now_s - tier.retention_s));
}

}  // namespace statmill
