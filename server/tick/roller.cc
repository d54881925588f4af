// See roller.h.
#include "server/tick/roller.h"

#include <algorithm>

#include "storage/rollup.h"

namespace statmill {

Status Roller::step(StoreSnapshot& snapshot, RollupPosition from, Timestamp now, StoreBatch& batch) const {
  const int64_t now_s = unix_seconds(now);
  const int64_t closed_s = std::max<int64_t>(0, unix_seconds(now - options_.delay));
  const ChunkNo open = tiers_.finest().chunk_of_time(closed_s);  // the first chunk not closed yet
  if (tiers_.count() == 1 || from.chunk >= open) return Status::ok();
  if (from.id == 0) {  // skip the chunks that never were, all at once
    const auto oldest = snapshot.oldest_chunk(0);
    if (!oldest) return oldest.error();
    const ChunkNo next = std::min(open, oldest->value_or(open));
    if (next > from.chunk) {
      batch.rollup_position = RollupPosition{next, 0};
      return Status::ok();
    }
  }
  return roll_slice(snapshot, from, now_s, batch);
}

Status Roller::roll_slice(StoreSnapshot& snapshot, RollupPosition from, int64_t now_s,
                          StoreBatch& batch) const {
  const Tier& finest = tiers_.finest();
  const Slot first = static_cast<Slot>(from.chunk) * finest.chunk_slots;
  size_t series = 0;
  RollupPosition position{from.chunk + 1, 0};
  const Status scanned = snapshot.scan(0, from.chunk, from.id, [&](SeriesId id, std::string_view frames) {
    if (series++ == options_.slice_series) {
      position = {from.chunk, id};
      return false;
    }
    if (expiry_.class_of(id) == kGone) return true;
    const DecodedChunk chunk = decode_chunk({0, from.chunk, id}, first, finest.chunk_slots, frames);
    const Kind kind = chunk.combine == Combine::kAddEvents ? Kind::kEvent : Kind::kGauge;
    for (TierNo t = 1; t < tiers_.count(); ++t) {
      const Tier& tier = tiers_[t];
      add_fragments(batch.fragments, t, tier, id, roll_up(chunk.buckets, finest, tier, kind),
                    oldest_kept(tier, now_s));
    }
    return true;
  });
  if (!scanned) return scanned.error();
  batch.rollup_position = position;
  return Status::ok();
}

}  // namespace statmill
