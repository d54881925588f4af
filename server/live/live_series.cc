#include "server/live/live_series.h"

#include <algorithm>

#include "storage/codec/chunk_columns.h"

namespace statmill {
namespace {

// A shard is flushed every few seconds at most, so even a second try is rare.
constexpr int kTriesMax = 10;
// Slots after the wanted ones that are read from the store, too, so that the next reads need it not.
constexpr Slot kSlotsAhead = 64;

void add_histograms(std::span<const SlotHistogram> from, SlotColumns& out) {
  if (!out.parts.histograms) return;
  std::vector<SlotHistogram> inside;
  std::ranges::copy_if(from, std::back_inserter(inside),
                       [&](const SlotHistogram& h) { return h.slot >= out.begin && h.slot < out.end(); });
  merge_into(out.histograms, inside);
}

void add_buckets(std::span<const SlotBucket> from, Combine combine, SlotColumns& out) {
  for (const SlotBucket& b : from) {
    if (b.slot >= out.begin && b.slot < out.end())
      out.add(static_cast<size_t>(b.slot - out.begin), b.bucket, combine);
  }
}

// Returns true if the store, as of the flush `tick`, has what is being flushed.
bool has_flushing(const SeriesPieces& pieces, TickNo tick) {
  return pieces.flushing_tick != 0 && tick == pieces.flushing_tick;
}

}  // namespace

Result<std::optional<Kind>> LiveSeries::read(const Table& table, Store& store, SlotColumns& out) {
  for (int i = 0; i < kTriesMax; ++i) {
    const auto pieces = table.pieces(name_, out.parts.histograms);
    if (!pieces) {
      stored_.reset();
      return std::optional<Kind>();
    }
    if (fits(*pieces, out)) {
      add(*pieces, table.tiers(), out);
      return std::optional(pieces->kind);
    }
    if (Status s = load(table, store, *pieces, out); !s) return s.error();
    // The pieces were copied before the snapshot, so together they lack nothing, unless a flush came between.
    if (!fits(*pieces, out)) continue;
    add(*pieces, table.tiers(), out);
    return std::optional(pieces->kind);
  }
  return Error{ErrorCode::kBusy, "flushes kept overtaking the reader"};
}

bool LiveSeries::fits(const SeriesPieces& pieces, const SlotColumns& out) const {
  return stored_ && stored_->id == pieces.id && stored_->begin <= out.begin && out.end() <= stored_->end &&
         (stored_->tick == pieces.flushed_tick || has_flushing(pieces, stored_->tick));
}

Status LiveSeries::load(const Table& table, Store& store, const SeriesPieces& pieces,
                        const SlotColumns& wanted) {
  const Tier& tier = table.tiers().finest();
  const auto snapshot = store.snapshot();
  const auto tick = snapshot->flushed_tick(pieces.shard);
  if (!tick) return tick.error();
  Stored stored{pieces.id, *tick, wanted.begin, wanted.end() + kSlotsAhead};
  SlotColumns columns(stored.begin, static_cast<size_t>(stored.end - stored.begin), wanted.parts);
  for (Slot at = stored.begin; at < stored.end;) {
    const ChunkNo chunk = tier.chunk_of_slot(at);
    const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
    const ChunkKey key{0, chunk, pieces.id};
    const auto frames = snapshot->chunk(key);
    if (!frames) return frames.error();
    if (!frames->empty()) decode_columns(key, first, tier.chunk_slots, *frames, columns);
    at = first + tier.chunk_slots;
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns.present[i])
      stored.buckets.push_back({columns.begin + static_cast<Slot>(i), columns.bucket_at(i)});
  }
  stored.histograms = std::move(columns.histograms);
  stored_ = std::move(stored);
  return Status::ok();
}

void LiveSeries::add(const SeriesPieces& pieces, const Tiers& tiers, SlotColumns& out) const {
  const SlotUnit unit = SlotUnit::finest(tiers);
  add_buckets(stored_->buckets, pieces.combine(), out);
  add_histograms(stored_->histograms, out);
  if (!has_flushing(pieces, stored_->tick)) pieces.add_flushing(out, unit);
  pieces.add_unflushed(out, unit);
}

}  // namespace statmill
