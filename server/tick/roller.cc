#include "server/tick/roller.h"

#include <algorithm>

#include "storage/codec/codec.h"
#include "storage/codec/fragments.h"
#include "storage/rollup.h"

namespace statmill {

ChunkNo Roller::first_open(const ClockGuard& clock) const {
  const Timestamp now = from_unix_seconds(clock.now_s(tiers_.finest().retention_s));
  const int64_t closed_s = std::max<int64_t>(0, unix_seconds(now - options_.delay));
  return tiers_.finest().chunk_of_time(closed_s);
}

Status Roller::step(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock,
                    StoreBatch& batch) const {
  if (!is_due(from, clock)) return Status::ok();
  if (from.id == 0) {  // skips all chunks without data at once
    const auto oldest = snapshot.oldest_chunk(0);
    if (!oldest) return oldest.error();
    const ChunkNo open = first_open(clock);
    const ChunkNo next = std::min(open, oldest->value_or(open));
    if (next > from.chunk) {
      batch.rollup_position = RollupPosition{next, 0};
      return Status::ok();
    }
  }
  return roll_slice(snapshot, from, clock, batch);
}

Status Roller::roll_slice(StoreSnapshot& snapshot, RollupPosition from, const ClockGuard& clock,
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
      const ChunkNo oldest = clock.oldest_kept(tier);
      add_fragments(batch.fragments, t, tier, id, roll_up(chunk.buckets, finest, tier, kind), oldest);
      add_fragments(batch.fragments, t, tier, id, roll_up(chunk.histograms, finest, tier), oldest);
    }
    return true;
  });
  if (!scanned) return scanned.error();
  batch.rollup_position = position;
  return Status::ok();
}

}  // namespace statmill
