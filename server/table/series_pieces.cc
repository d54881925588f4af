#include "server/table/series_pieces.h"

#include <algorithm>
#include <utility>

#include "storage/rollup.h"

namespace statmill {
namespace {

// Slots of the finest tier that are folded at a time: bounds the memory if samples of long ago arrive.
constexpr Slot kFoldSlots = 2048;

void add_inside(const std::vector<SlotBucket>& buckets, Combine combine, SlotColumns& out) {
  for (const SlotBucket& b : buckets) {
    if (b.slot >= out.begin && b.slot < out.end())
      out.add(static_cast<size_t>(b.slot - out.begin), b.bucket, combine);
  }
}

void add_inside(std::vector<SlotHistogram> histograms, SlotColumns& out) {
  if (!out.parts.histograms) return;
  std::erase_if(histograms,
                [&](const SlotHistogram& h) { return h.slot < out.begin || h.slot >= out.end(); });
  merge_into(out.histograms, histograms);
}

std::vector<SlotHistogram> fold(const std::vector<SlotHistogram>& histograms, int64_t ratio) {
  return roll_up(histograms, Tier{1, 0, 0}, Tier{ratio, 0, 0});
}

// Adds buckets in slots of the detail tier, or of the finest one if `ratio` is 1. What RAM has of a series
// after an import is long, so it is not copied more often than it has to be.
void add_list(std::vector<SlotBucket> buckets, int64_t ratio, Combine combine, std::vector<SlotBucket>& out) {
  if (ratio > 1) buckets = statmill::fold(buckets, ratio, combine);
  if (out.empty()) {
    out = std::move(buckets);
  } else {
    combine_into(out, buckets, combine);
  }
}

// Adds a window in slots of the detail tier to columns in slots of the finest one.
void add_folded(const Window& window, int64_t ratio, Combine combine, SlotColumns& out) {
  if (window.is_empty()) return;
  const Slot first = std::max(out.begin, window.oldest_slot() / ratio);
  const Slot end = std::min(out.end(), window.newest_slot() / ratio + 1);
  for (Slot at = first; at < end; at += kFoldSlots) {
    const Slot stop = std::min(end, at + kFoldSlots);
    SlotColumns detail(at * ratio, static_cast<size_t>((stop - at) * ratio), out.parts);
    window.add_to(detail, combine);
    for (size_t i = detail.present.next(0); i < detail.size();) {
      const Slot slot = (detail.begin + static_cast<Slot>(i)) / ratio;
      const auto end_of_slot = static_cast<size_t>((slot + 1) * ratio - detail.begin);
      Bucket folded = detail.bucket_at(i);
      for (i = detail.present.next(i + 1); i < end_of_slot; i = detail.present.next(i + 1))
        combine_bucket(folded, detail.bucket_at(i), combine);
      out.add(static_cast<size_t>(slot - out.begin), folded, combine);
    }
    add_inside(fold(detail.histograms, ratio), out);
  }
}

void add_window(const Window& window, bool is_detailed, const SlotUnit& unit, Combine combine,
                SlotColumns& out) {
  if (is_detailed == unit.is_detail) return window.add_to(out, combine);
  if (is_detailed) add_folded(window, unit.detail_ratio, combine, out);
}

}  // namespace

void SeriesPieces::add_flushing(SlotColumns& out, const SlotUnit& unit) const {
  add_window(flushing, is_flushing_detailed, unit, combine(), out);
  erase(out, unit);
}

void SeriesPieces::add_unflushed(SlotColumns& out, const SlotUnit& unit) const {
  add_window(pending, is_detailed, unit, combine(), out);
  if (unit.is_detail && !is_detailed) return;
  const int64_t ratio = is_detailed && !unit.is_detail ? unit.detail_ratio : 1;
  for (const Delta& delta : deltas) {
    if (delta.buckets.empty()) continue;
    add_inside(ratio == 1 ? delta.buckets : statmill::fold(delta.buckets, ratio, combine()), combine(), out);
    add_inside(ratio == 1 ? delta.histograms : fold(delta.histograms, ratio), out);
  }
}

void SeriesPieces::erase(SlotColumns& out, const SlotUnit& unit) const {
  const int64_t ratio = unit.is_detail ? unit.detail_ratio : 1;
  // Cut to the columns before it is multiplied, because the range may be endless.
  const Slot begin = std::max(std::max(erased.begin, out.begin / ratio) * ratio, out.begin);
  const Slot end = std::min(std::min(erased.end, (out.end() + ratio - 1) / ratio) * ratio, out.end());
  if (begin < end) out.erase(static_cast<size_t>(begin - out.begin), static_cast<size_t>(end - out.begin));
}

SeriesPieces::Lists SeriesPieces::lists(const Tiers& tiers, bool with_flushing) const {
  const auto ratio_of = [&](bool detailed) { return detailed ? tiers.detail_ratio() : 1; };
  Lists out;
  const auto add = [&](const Window& window, int64_t ratio) {
    add_list(window.buckets(combine()), ratio, combine(), out.buckets);
    if (window.histograms() != nullptr)
      merge_into(out.histograms, fold(window.histograms()->histograms(), ratio));
  };
  if (with_flushing) {
    add(flushing, ratio_of(is_flushing_detailed));
    const auto is_erased = [&](const auto& at) { return erased.has(at.slot); };
    std::erase_if(out.buckets, is_erased);
    std::erase_if(out.histograms, is_erased);
  }
  const int64_t ratio = ratio_of(is_detailed);
  add(pending, ratio);
  for (const Delta& delta : deltas) {
    add_list(delta.buckets, ratio, combine(), out.buckets);
    merge_into(out.histograms, fold(delta.histograms, ratio));
  }
  return out;
}

Slot SeriesPieces::oldest_slot(const Tiers& tiers, bool with_flushing) const {
  Slot oldest = -1;
  const auto include = [&](Slot slot, bool detailed) {
    if (detailed) slot /= tiers.detail_ratio();
    if (oldest < 0 || slot < oldest) oldest = slot;
  };
  for (const Delta& delta : deltas) {
    if (!delta.buckets.empty()) include(delta.buckets.front().slot, is_detailed);
  }
  if (!pending.is_empty()) include(pending.oldest_slot(), is_detailed);
  if (with_flushing && !flushing.is_empty()) include(flushing.oldest_slot(), is_flushing_detailed);
  return oldest;
}

}  // namespace statmill
