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
    out.back().bucket.merge(adds_up(kind) ? f.bucket.event_rate(from.step_s) : f.bucket);
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

std::vector<SlotBucket> fold(std::span<const SlotBucket> detail, int64_t ratio, Combine combine) {
  std::vector<SlotBucket> out;
  for (const SlotBucket& d : detail) {
    const Slot slot = d.slot / ratio;
    if (out.empty() || out.back().slot != slot) {
      out.push_back({slot, d.bucket});
    } else {
      combine_bucket(out.back().bucket, d.bucket, combine);
    }
  }
  return out;
}

ChunkNo oldest_kept(const Tier& tier, int64_t now_s) {
  return tier.chunk_of_time(std::max<int64_t>(0, now_s - tier.retention_s));
}

}  // namespace statmill
