#include "server/query/series_reader.h"

#include <algorithm>

#include "storage/rollup.h"

namespace statmill {
namespace {

// Returns the items with slots in [begin, end).
template <class Item>
std::span<const Item> in_range(const std::vector<Item>& all, Slot begin, Slot end) {
  const auto before = [](const Item& at, Slot slot) { return at.slot < slot; };
  const auto first = std::lower_bound(all.begin(), all.end(), begin, before);
  const auto last = std::lower_bound(first, all.end(), end, before);
  return {first, last};
}

}  // namespace

Error histograms_too_large(size_t bytes_max) {
  return {ErrorCode::kLimit, "the histograms need more than " + std::to_string(bytes_max) +
                                 " bytes: ask for a shorter range or a larger step"};
}

void SeriesReader::add(const Bucket& bucket, int64_t time_s) {
  if (time_s < plan_.from_s || time_s >= plan_.until_s) return;
  const auto i = static_cast<size_t>((time_s - plan_.from_s) / plan_.step_s);
  out_[i].merge(bucket);
  if (time_s > now_s_) ahead_[i] += bucket.count();
}

Status SeriesReader::add(std::span<const SlotHistogram> histograms, int64_t step_s) {
  for (const SlotHistogram& h : histograms) {
    const int64_t time_s = h.slot * step_s;
    if (time_s < plan_.from_s || time_s >= plan_.until_s) continue;
    SparseHistogram& out = histograms_[static_cast<size_t>((time_s - plan_.from_s) / plan_.step_s)];
    const size_t before = out.memory_bytes();
    out.merge(h.histogram);
    histogram_bytes_ += out.memory_bytes() - before;
    if (histogram_bytes_ <= histogram_bytes_max_) continue;
    return histograms_too_large(histogram_bytes_max_);
  }
  return Status::ok();
}

Result<DecodedChunk> SeriesReader::load(TierNo tier_no, ChunkNo chunk, SeriesId id) {
  if (Status s = control_.check(); !s) return s.error();
  const ChunkKey key{tier_no, chunk, id};
  const auto frames = snapshot_.chunk(key);
  if (!frames) return frames.error();
  control_.add_cost({.chunks = frames->empty() ? uint64_t{0} : uint64_t{1}, .bytes = frames->size()});
  const int64_t slots = tiers_[tier_no].chunk_slots;
  DecodedChunk decoded = decode_chunk(key, static_cast<Slot>(chunk) * slots, slots, *frames, wanted_);
  damaged_frames_ += decoded.damaged_frames;
  const int64_t ratio = tiers_[tier_no].step_s / tiers_.finest().step_s;
  const auto is_erased = [&](const auto& at) { return erased_.has(at.slot * ratio); };
  std::erase_if(decoded.buckets, is_erased);
  std::erase_if(decoded.histograms, is_erased);
  return decoded;
}

Result<SeriesAnswer> SeriesReader::read(const SeriesCopy& series,
                                        const std::vector<SlotHistogram>& histograms) {
  if (Status s = control_.check(); !s) return s.error();
  control_.add_cost({.series = 1});
  const Ram ram{series.unflushed, histograms};
  const bool has_histograms = series.kind == Kind::kDistribution && wanted_ == Wanted::kHistograms;
  out_.assign(plan_.points(), {});
  histograms_.assign(has_histograms ? plan_.points() : 0, {});
  histogram_bytes_ = histograms_.size() * sizeof(SparseHistogram);
  ahead_.clear();
  erased_ = series.erased;
  // Ignores expired data that are still on disk. Uses the tick's cutoffs, because the clock may be wrong.
  whole_from_ = expiry_.whole_from(series.retention);
  kept_from_s_ = expiry_.cutoff(plan_.tier, series.retention) * tiers_[plan_.tier].chunk_span_s();
  const int64_t from_s = std::clamp(kept_from_s_, plan_.from_s, plan_.until_s);
  int64_t fine_from_s = from_s;
  if (plan_.tier > 0) {
    // Chunks of the finest tier before the rollup position are in this tier; the rest is read from the
    // finest.
    const int64_t rolled = int64_t{position_.chunk} + (series.id < position_.id ? 1 : 0);
    const int64_t rolled_s = std::clamp(rolled * tiers_.finest().chunk_span_s(), from_s, plan_.until_s);
    if (Status s = add_coarse(series, ram, from_s, rolled_s); !s) return s.error();
    fine_from_s = rolled_s;
  }
  if (Status s = add_fine(series, ram, fine_from_s, plan_.until_s); !s) return s.error();
  if (series.kind == Kind::kEvent) fill_silence(series);
  return SeriesAnswer{series.name, series.kind, std::move(out_), std::move(histograms_)};
}

Status SeriesReader::add_fine(const SeriesCopy& series, const Ram& ram, int64_t from_s, int64_t until_s) {
  if (from_s >= until_s) return Status::ok();
  const Tier& tier = tiers_.finest();
  // Reads no chunks before the series' first slot or after its last.
  const Slot begin = std::max(tier.slot_of(from_s), series.first_slot);
  const Slot end = std::min((until_s + tier.step_s - 1) / tier.step_s, series.last_slot + 1);
  for (Slot at = begin; at < end;) {
    const ChunkNo chunk = tier.chunk_of_slot(at);
    const Slot stop = std::min(end, (static_cast<Slot>(chunk) + 1) * tier.chunk_slots);
    auto stored = load(0, chunk, series.id);
    if (!stored) return stored.error();
    const bool event = series.kind == Kind::kEvent;
    combine_into(stored->buckets, in_range(ram.buckets, at, stop),
                 event ? Combine::kAddEvents : Combine::kMerge);
    for (const SlotBucket& b : in_range(stored->buckets, at, stop)) {
      add(event ? b.bucket.event_rate(tier.step_s) : b.bucket, b.slot * tier.step_s);
    }
    merge_into(stored->histograms, in_range(ram.histograms, at, stop));
    if (Status s = add(in_range(stored->histograms, at, stop), tier.step_s); !s) return s;
    at = stop;
  }
  return Status::ok();
}

Status SeriesReader::add_coarse(const SeriesCopy& series, const Ram& ram, int64_t from_s, int64_t until_s) {
  if (from_s >= until_s) return Status::ok();
  const Tier& finest = tiers_.finest();
  const Tier& tier = tiers_[plan_.tier];
  const int64_t ratio = tier.step_s / finest.step_s;
  const Slot begin = std::max(from_s / tier.step_s, series.first_slot / ratio);
  const Slot end = std::min(until_s / tier.step_s, series.last_slot / ratio + 1);
  Buckets all;
  for (Slot at = begin; at < end;) {
    const ChunkNo chunk = tier.chunk_of_slot(at);
    const Slot stop = std::min(end, (static_cast<Slot>(chunk) + 1) * tier.chunk_slots);
    const auto stored = load(plan_.tier, chunk, series.id);
    if (!stored) return stored.error();
    const auto part = in_range(stored->buckets, at, stop);
    all.insert(all.end(), part.begin(), part.end());
    if (Status s = add(in_range(stored->histograms, at, stop), tier.step_s); !s) return s;
    at = stop;
  }
  if (series.kind == Kind::kEvent) {
    if (Status s = add_late_events(series, ram.buckets, from_s, until_s, all); !s) return s;
  } else {
    const auto late = in_range(ram.buckets, from_s / finest.step_s, until_s / finest.step_s);
    combine_into(all, roll_up(late, finest, tier, series.kind), Combine::kMerge);
  }
  for (const SlotBucket& b : all) add(b.bucket, b.slot * tier.step_s);
  return add(in_range(ram.histograms, from_s / finest.step_s, until_s / finest.step_s), finest.step_s);
}

// Late events in RAM change totals that are already in the coarse buckets: those buckets are computed again
// from the finest tier, as the flush will do.
Status SeriesReader::add_late_events(const SeriesCopy& series, const Buckets& ram, int64_t from_s,
                                     int64_t until_s, Buckets& coarse) {
  const Tier& finest = tiers_.finest();
  const Tier& tier = tiers_[plan_.tier];
  const int64_t ratio = tier.step_s / finest.step_s;
  const auto late = in_range(ram, from_s / finest.step_s, until_s / finest.step_s);
  for (size_t i = 0; i < late.size();) {
    const ChunkNo chunk = finest.chunk_of_slot(late[i].slot);
    size_t end = i + 1;
    while (end < late.size() && finest.chunk_of_slot(late[end].slot) == chunk) ++end;
    const auto part = late.subspan(i, end - i);
    i = end;
    if (chunk < whole_from_) {  // the totals are dropped, so the late events count as slots of their own
      combine_into(coarse, roll_up(part, finest, tier, Kind::kEvent), Combine::kMerge);
      continue;
    }
    auto totals = load(0, chunk, series.id);
    if (!totals) return totals.error();
    combine_into(totals->buckets, part, Combine::kAddEvents);
    for (const SlotBucket& recomputed : roll_up(totals->buckets, finest, tier, Kind::kEvent)) {
      const Slot first = recomputed.slot * ratio;
      if (in_range(ram, first, first + ratio).empty()) continue;
      std::erase_if(coarse, [&](const SlotBucket& b) { return b.slot == recomputed.slot; });
      combine_into(coarse, {&recomputed, 1}, Combine::kMerge);
    }
  }
  return Status::ok();
}

// Adds zeros for the slots of an event series without events, from its first kept slot to the present one.
// Later slots count only if they have events.
void SeriesReader::fill_silence(const SeriesCopy& series) {
  const int64_t slot_s = tiers_.finest().step_s;
  const int64_t first_s = std::max(series.first_slot * slot_s, kept_from_s_);
  const int64_t end_s = (now_s_ / slot_s + 1) * slot_s;
  for (size_t i = 0; i < out_.size(); ++i) {
    const int64_t begin_s = plan_.from_s + static_cast<int64_t>(i) * plan_.step_s;
    const int64_t slots = (std::min(begin_s + plan_.step_s, end_s) - std::max(begin_s, first_s)) / slot_s;
    if (slots <= 0) continue;
    const auto ahead = ahead_.find(i);
    const uint64_t present = out_[i].count() - (ahead == ahead_.end() ? 0 : ahead->second);
    if (static_cast<uint64_t>(slots) > present) out_[i].merge_zeros(static_cast<uint64_t>(slots) - present);
  }
}

}  // namespace statmill
