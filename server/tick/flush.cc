#include "server/tick/flush.h"

#include <algorithm>

#include "storage/codec/fragments.h"
#include "storage/rollup.h"

namespace statmill {
namespace {

// Removes the items with slots below `end` from the front of `left` and returns them.
template <class Item>
std::span<const Item> pop_below(Slot end, std::span<const Item>& left) {
  size_t n = 0;
  while (n < left.size() && left[n].slot < end) ++n;
  const std::span<const Item> below = left.first(n);
  left = left.subspan(n);
  return below;
}

// Returns the keys of the fragments of these series, sorted.
std::vector<ChunkKey> written_chunks(std::span<const ErasedSeries> series,
                                     std::span<const StoreBatch::Fragment> fragments) {
  std::vector<SeriesId> ids;
  for (const ErasedSeries& s : series) ids.push_back(s.id);
  std::sort(ids.begin(), ids.end());
  std::vector<ChunkKey> keys;
  for (const StoreBatch::Fragment& fragment : fragments) {
    if (std::binary_search(ids.begin(), ids.end(), fragment.key.id)) keys.push_back(fragment.key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

Status FragmentBuilder::add(const FlushedSeries& series, std::vector<StoreBatch::Fragment>& out) {
  if (!series.is_detailed && copy_entries(series, 0, out)) return Status::ok();
  const Tiers& tiers = retention_.tiers(series.retention);
  const Tier& finest = tiers.finest();
  std::vector<SlotBucket> buckets = series.window->buckets(series.combine());
  const HistogramWindow* const window = series.window->histograms();
  auto histograms = window == nullptr ? std::vector<SlotHistogram>() : window->histograms();
  if (series.is_detailed) {
    if (tiers.keep_detail() && !copy_entries(series, tiers.detail_no(), out))
      add_detail(series, buckets, histograms, out);
    buckets = fold(buckets, tiers.detail_ratio(), series.combine());
    histograms = roll_up(histograms, tiers.detail(), finest);
  }
  std::span<const SlotBucket> buckets_left(buckets);
  std::span<const SlotHistogram> histograms_left(histograms);
  while (!buckets_left.empty()) {
    const ChunkNo chunk = finest.chunk_of_slot(buckets_left.front().slot);
    const Slot end = (static_cast<Slot>(chunk) + 1) * finest.chunk_slots;
    const Part part{series, pop_below(end, buckets_left), pop_below(end, histograms_left), chunk};
    if (Status s = add_chunk(part, out); !s) return s;
  }
  return Status::ok();
}

// Adds the fragments of the detail tier.
void FragmentBuilder::add_detail(const FlushedSeries& series, std::span<const SlotBucket> buckets,
                                 std::span<const SlotHistogram> histograms,
                                 std::vector<StoreBatch::Fragment>& out) const {
  const Tiers& tiers = retention_.tiers(series.retention);
  const Tier& detail = tiers.detail();
  const ChunkNo oldest = clock_.oldest_kept(detail);
  while (!buckets.empty()) {
    const ChunkKey key{tiers.detail_no(), detail.chunk_of_slot(buckets.front().slot), series.id};
    const Slot first = static_cast<Slot>(key.chunk) * detail.chunk_slots;
    const auto own = pop_below(first + detail.chunk_slots, buckets);
    const auto own_histograms = pop_below(first + detail.chunk_slots, histograms);
    if (key.chunk < oldest) continue;
    out.push_back({key, encode_buckets(key, first, series.combine(), own)});
    if (!own_histograms.empty()) out.back().frames += encode_histogram_frame(key, first, own_histograms);
  }
}

// Nearly all windows lie in one chunk that is kept and not rolled up yet: their entries are copied unchanged
// into a fragment of their tier. Returns false, and appends nothing, for any other window.
bool FragmentBuilder::copy_entries(const FlushedSeries& series, TierNo tier_no,
                                   std::vector<StoreBatch::Fragment>& out) const {
  const auto run = series.window->run();
  if (!run) return false;
  const Tier& tier = retention_.tiers(series.retention)[tier_no];
  const ChunkNo chunk = tier.chunk_of_slot(run->first);
  if (tier.chunk_of_slot(run->last) != chunk) return false;
  if (tier_no == 0 ? RollupPosition{chunk, series.id} < position_ : chunk < clock_.oldest_kept(tier))
    return false;
  const HistogramWindow* const histograms = series.window->histograms();
  const auto histogram_run = histograms == nullptr ? std::nullopt : histograms->run();
  if (histograms != nullptr && !histogram_run) return false;
  const ChunkKey key{tier_no, chunk, series.id};
  const Slot first = static_cast<Slot>(chunk) * tier.chunk_slots;
  out.push_back({key, encode_entries(key, first, series.combine(), run->entries)});
  if (histogram_run) out.back().frames += encode_histogram_frame(key, first, *histogram_run);
  return true;
}

Status FragmentBuilder::add_chunk(const Part& part, std::vector<StoreBatch::Fragment>& out) {
  const auto& [series, buckets, histograms, chunk] = part;
  const Tiers& tiers = retention_.tiers(series.retention);
  const Tier& finest = tiers.finest();
  const bool rolled = RollupPosition{chunk, series.id} < position_;
  const bool kept = chunk >= clock_.oldest_kept(finest);
  const size_t before = out.size();
  // Data that are not rolled up yet must go to the finest tier, however old: the rollup reads them there.
  if (kept || !rolled) {
    const ChunkKey key{0, chunk, series.id};
    const Slot first = static_cast<Slot>(chunk) * finest.chunk_slots;
    out.push_back({key, encode_buckets(key, first, series.combine(), buckets)});
    if (!histograms.empty()) out.back().frames += encode_histogram_frame(key, first, histograms);
  }
  if (!rolled) return Status::ok();
  const bool is_whole = chunk >= std::max(clock_.oldest_whole(finest), expiry_.whole_from(series.retention));
  if (adds_up(series.kind) && kept && is_whole) {
    const Result<bool> rebuilt = rebuild_event_rollup(part, out);
    if (!rebuilt) return rebuilt.error();
    if (*rebuilt) return Status::ok();
  }
  for (TierNo t = 1; t < tiers.count(); ++t) {
    add_fragments(out, t, tiers[t], series.id, roll_up(buckets, finest, tiers[t], series.kind),
                  clock_.oldest_kept(tiers[t]));
    add_fragments(out, t, tiers[t], series.id, roll_up(histograms, finest, tiers[t]),
                  clock_.oldest_kept(tiers[t]));
  }
  if (out.size() == before) expired_ += buckets.size();
  return Status::ok();
}

// A late event or increment changes the total of its slot, so the coarse buckets above its chunk are computed
// again from all slots of the chunk. Returns false, and appends nothing, if the stored chunk is damaged: then
// the coarse buckets have data that the chunk has lost, and the late totals must be added to them as slots of
// their own.
Result<bool> FragmentBuilder::rebuild_event_rollup(const Part& part, std::vector<StoreBatch::Fragment>& out) {
  const auto& [series, buckets, histograms, chunk] = part;
  const Tiers& tiers = retention_.tiers(series.retention);
  const Tier& finest = tiers.finest();
  const Slot first = static_cast<Slot>(chunk) * finest.chunk_slots;
  const ChunkKey fine_key{0, chunk, series.id};
  const auto stored = snapshot_.chunk(fine_key);
  if (!stored && stored.error().code != ErrorCode::kCorrupt) return stored.error();
  DecodedChunk decoded;
  if (stored) decoded = decode_chunk(fine_key, first, finest.chunk_slots, *stored);
  if (!stored || decoded.damaged_frames > 0) {
    ++damaged_;
    return false;
  }
  std::vector<SlotBucket>& all = decoded.buckets;
  combine_into(all, buckets, Combine::kAddEvents);
  for (TierNo t = 1; t < tiers.count(); ++t) {
    const Tier& tier = tiers[t];
    const int64_t ratio = tier.step_s / finest.step_s;
    const Slot end = (first + finest.chunk_slots) / ratio;
    const ChunkNo oldest = clock_.oldest_kept(tier);
    for (Slot begin = first / ratio; begin < end;) {  // one erase per coarse chunk that the range touches
      const ChunkNo coarse = tier.chunk_of_slot(begin);
      const Slot coarse_first = static_cast<Slot>(coarse) * tier.chunk_slots;
      const Slot stop = std::min(end, coarse_first + tier.chunk_slots);
      const ChunkKey key{t, coarse, series.id};
      if (coarse >= oldest) out.push_back({key, encode_erase(key, coarse_first, begin, stop)});
      begin = stop;
    }
    add_fragments(out, t, tier, series.id, roll_up(all, finest, tier, Kind::kEvent), oldest);
  }
  return true;
}

Status FragmentBuilder::erase(std::span<const ErasedSeries> erased, std::vector<StoreBatch::Fragment>& out) {
  const std::vector<ChunkKey> written = written_chunks(erased, out);
  for (const ErasedSeries& series : erased) {
    if (Status s = erase_one(series, written, out); !s) return s;
  }
  return Status::ok();
}

ChunkNo FragmentBuilder::oldest_detail() const { return clock_.oldest_kept(retention_.longest().detail()); }

Status FragmentBuilder::erase_one(const ErasedSeries& series, std::span<const ChunkKey> written,
                                  std::vector<StoreBatch::Fragment>& out) {
  const Tiers& tiers = retention_.tiers();
  const int64_t finest_s = tiers.finest().step_s;
  for (TierNo t = 0; t < tiers.stored_count(); ++t) {
    const Tier& tier = tiers[t];
    const Slot end = (series.slots.end * finest_s + tier.step_s - 1) / tier.step_s;
    Slot begin = series.slots.begin * finest_s / tier.step_s;
    // Detail that is past its retention is never read, and there would be many chunks to look for.
    if (tiers.is_detail(t)) begin = std::max<Slot>(begin, Slot{oldest_detail()} * tier.chunk_slots);
    while (begin < end) {
      const ChunkKey key{t, tier.chunk_of_slot(begin), series.id};
      const Slot first = static_cast<Slot>(key.chunk) * tier.chunk_slots;
      const Slot stop = std::min(end, first + tier.chunk_slots);
      bool exists = std::binary_search(written.begin(), written.end(), key);
      if (!exists) {
        const auto stored = snapshot_.chunk(key);
        if (!stored) return stored.error();
        exists = !stored->empty();
      }
      if (exists) out.push_back({key, encode_erase(key, first, begin, stop)});
      begin = stop;
    }
  }
  return Status::ok();
}

}  // namespace statmill
