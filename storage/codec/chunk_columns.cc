#include "storage/codec/chunk_columns.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/quotient.h"
#include "storage/bucket_check.h"
#include "storage/codec/apply_frame.h"
#include "storage/codec/column_codec.h"
#include "storage/codec/entry_run.h"
#include "storage/codec/histogram_codec.h"

namespace statmill {
namespace {

// Entries [first, last) of a group, which are slots of the columns.
struct Entries {
  size_t first = 0;
  size_t last = 0;
};

Entries entries_inside(const std::vector<Slot>& slots, const SlotColumns& out) {
  const auto first = std::lower_bound(slots.begin(), slots.end(), out.begin);
  const auto last = std::lower_bound(first, slots.end(), out.end());
  return {static_cast<size_t>(first - slots.begin()), static_cast<size_t>(last - slots.begin())};
}

bool bring_to_scale(DecimalColumns& c, int8_t from, int8_t to) {
  if (from == to) return true;
  if (from > to || !c.is_single()) return false;
  const int64_t factor = power_of_ten(to - from);
  const int64_t limit = std::numeric_limits<int64_t>::max() / factor;
  const auto fits = [=](int64_t v) { return v <= limit && v >= -limit; };
  if (!std::all_of(c.sums.begin(), c.sums.end(), fits)) return false;
  for (int64_t& v : c.sums) v *= factor;
  return true;
}

Bucket decimal_bucket(const DecimalColumns& c, int8_t scale, size_t i) {
  if (c.is_single()) return Bucket::from_decimal(1, single_decimal(c.sums[i], scale));
  return Bucket::from_decimal(
      c.counts[i], {c.sums[i], c.squares.empty() ? 0 : c.squares[i], c.mins.empty() ? 0 : c.mins[i],
                    c.mins.empty() ? 0 : c.maxs[i], scale});
}

class ColumnContent {
 public:
  ColumnContent(const ChunkPlace& place, SlotColumns& out) : place_(place), out_(out) {}

  FrameOutcome apply_group(std::string_view payload) {
    auto group = read_group(payload, place_.first_slot, place_.chunk_slots, out_.parts);
    if (!group) return FrameOutcome::kDamaged;
    if (!combine_.agrees(group->combine)) return FrameOutcome::kForeign;
    add_group(*group);
    return FrameOutcome::kApplied;
  }

  FrameOutcome apply_entry_run(std::string_view payload) {
    auto run = read_entry_run(payload, place_.first_slot, place_.chunk_slots);
    if (!run) return FrameOutcome::kDamaged;
    if (!combine_.agrees(run->singles.combine)) return FrameOutcome::kForeign;
    if (run->singles.size() > 0) add_group(run->singles);
    for (const SlotBucket& b : run->buckets) {
      if (b.slot >= out_.begin && b.slot < out_.end()) out_.add(element(b.slot), b.bucket, combine());
    }
    return FrameOutcome::kApplied;
  }

  FrameOutcome apply_histograms(std::string_view payload) {
    if (!out_.parts.histograms) return FrameOutcome::kApplied;
    auto histograms = decode_histograms(payload, place_.first_slot, place_.chunk_slots);
    if (!histograms) return FrameOutcome::kDamaged;
    std::erase_if(*histograms,
                  [&](const SlotHistogram& h) { return h.slot < out_.begin || h.slot >= out_.end(); });
    merge_into(out_.histograms, *histograms);
    return FrameOutcome::kApplied;
  }

  void erase(const SlotRange& range) {
    const Slot begin = std::clamp(range.begin, out_.begin, out_.end());
    const Slot end = std::clamp(range.end, out_.begin, out_.end());
    out_.erase(element(begin), element(end));
  }

  Combine combine() const { return combine_.value(); }

 private:
  size_t element(Slot slot) const { return static_cast<size_t>(slot - out_.begin); }

  void add_group(Group& group) {
    if (!group.is_decimal) {
      const RealColumns& c = group.reals;
      const Entries inside = entries_inside(c.slots, out_);
      for (size_t i = inside.first; i < inside.last; ++i)
        out_.add(element(c.slots[i]), real_bucket(c, i), group.combine);
      return;
    }
    DecimalColumns& c = group.decimals;
    const Entries inside = entries_inside(c.slots, out_);
    if (inside.first == inside.last) return;
    if (can_copy(group, inside)) return copy(c, inside);
    for (size_t i = inside.first; i < inside.last; ++i)
      out_.add(element(c.slots[i]), decimal_bucket(c, group.scale, i), group.combine);
  }

  // Returns whether nothing is at these slots yet, and the columns have the scale of the group. Either may
  // have been raised.
  bool can_copy(Group& group, Entries inside) {
    const std::vector<Slot>& slots = group.decimals.slots;
    if (out_.is_mixed || out_.present.any(element(slots[inside.first]), element(slots[inside.last - 1]) + 1))
      return false;
    if (group.scale > out_.scale && !out_.raise_scale(group.scale)) return false;
    if (!bring_to_scale(group.decimals, group.scale, out_.scale)) return false;
    group.scale = out_.scale;
    return true;
  }

  void copy(const DecimalColumns& c, Entries inside) {
    const size_t count = inside.last - inside.first;
    const size_t begin = element(c.slots[inside.first]);
    const bool is_row = element(c.slots[inside.last - 1]) - begin + 1 == count;
    if (is_row) out_.present.set(begin, begin + count);
    for (size_t i = inside.first; !is_row && i < inside.last; ++i) out_.present.set(element(c.slots[i]));
    const auto place = [&](const auto& from, auto& to) {
      if (is_row) {
        std::copy_n(from.data() + inside.first, count, to.data() + begin);
        return;
      }
      for (size_t i = inside.first; i < inside.last; ++i) to[element(c.slots[i])] = from[i];
    };
    if (!c.is_single()) out_.make_counted();
    place(c.sums, out_.sums);
    if (out_.is_single) return;
    if (c.is_single()) return add_what_follows(c, inside);
    place(c.counts, out_.counts);
    if (out_.parts.extremes) {
      place(c.mins, out_.mins);
      place(c.maxs, out_.maxs);
    }
    if (out_.parts.squares) place(c.squares, out_.squares);
  }

  // The other numbers of single observations.
  void add_what_follows(const DecimalColumns& c, Entries inside) {
    for (size_t i = inside.first; i < inside.last; ++i) {
      const size_t at = element(c.slots[i]);
      out_.counts[at] = 1;
      if (out_.parts.extremes) out_.mins[at] = out_.maxs[at] = c.sums[i];
      if (out_.parts.squares) out_.squares[at] = Int128{c.sums[i]} * c.sums[i];
    }
  }

  const ChunkPlace place_;
  SlotColumns& out_;
  ChunkCombine combine_;
};

}  // namespace

uint64_t decode_columns(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value,
                        SlotColumns& out) {
  const Slot begin = std::clamp(first_slot, out.begin, out.end());
  const Slot end = std::clamp(first_slot + chunk_slots, out.begin, out.end());
  const auto element = [&](Slot slot) { return static_cast<size_t>(slot - out.begin); };
  const auto is_before = [](const SlotHistogram& h, Slot slot) { return h.slot < slot; };
  const auto histogram = std::lower_bound(out.histograms.begin(), out.histograms.end(), begin, is_before);
  const bool is_fresh = !out.present.any(element(begin), element(end)) &&
                        (histogram == out.histograms.end() || histogram->slot >= end);
  // Erase frames must leave what is there already.
  SlotColumns of_chunk(begin, is_fresh ? 0 : element(end) - element(begin), out.parts);
  const ChunkPlace place{key, first_slot, chunk_slots};
  ColumnContent content(place, is_fresh ? out : of_chunk);
  uint64_t damaged = 0;
  FrameWalk walk(key, value);
  while (const std::optional<Frame> frame = walk.next()) {
    if (apply_frame(place, *frame, content) != FrameOutcome::kApplied) ++damaged;
  }
  if (!is_fresh) out.add(of_chunk, content.combine());
  return damaged;
}

}  // namespace statmill
