#include "server/query/bin_reader.h"

#include <algorithm>

#include "base/quotient.h"
#include "server/query/ops/window.h"

namespace statmill {
namespace {

// The elements of `span` that lie in each bin.
std::vector<SlotWindow> windows_of(const Bins& bins, SlotSpan span, int64_t slot_s) {
  std::vector<SlotWindow> out(bins.count);
  for (size_t i = 0; i < bins.count; ++i) {
    const int64_t begin_s = bins.first_s + static_cast<int64_t>(i) * bins.step_s;
    const Slot begin = std::clamp((begin_s + slot_s - 1) / slot_s, span.begin, span.end);
    const Slot end = std::clamp((begin_s + bins.step_s + slot_s - 1) / slot_s, span.begin, span.end);
    out[i] = {static_cast<uint32_t>(begin - span.begin), static_cast<uint32_t>(end - span.begin)};
  }
  return out;
}

}  // namespace

Result<std::vector<SeriesBins>> BinReader::read(std::span<const size_t> series) {
  std::vector<SeriesBins> out(series.size());
  const Bins& bins = plan_.bins;
  const int64_t coarse_s = tiers_[plan_.tier].step_s;
  const int64_t whole_from_s = (bins.from_s + coarse_s - 1) / coarse_s * coarse_s;
  const int64_t whole_until_s = bins.until_s / coarse_s * coarse_s;
  Status status = Status::ok();
  if (plan_.tier == plan_.edge_tier || whole_from_s >= whole_until_s) {
    status = add(plan_.edge_tier, bins.from_s, bins.until_s, series, out);
  } else {
    status = add(plan_.tier, whole_from_s, whole_until_s, series, out);
    if (status) status = add(plan_.edge_tier, bins.from_s, whole_from_s, series, out);
    if (status) status = add(plan_.edge_tier, whole_until_s, bins.until_s, series, out);
  }
  if (!status) return status.error();
  return out;
}

// Adds the slots of [from_s, until_s) of one tier to the bins.
Status BinReader::add(TierNo tier, int64_t from_s, int64_t until_s, std::span<const size_t> series,
                      std::vector<SeriesBins>& out) {
  if (from_s >= until_s) return Status::ok();
  const int64_t slot_s = tiers_[tier].step_s;
  const SlotSpan span{tier, from_s / slot_s, until_s / slot_s};
  auto slots = reader_.read(series, span);
  if (!slots) return slots.error();
  const std::vector<SlotWindow> windows = windows_of(plan_.bins, span, slot_s);
  for (size_t k = 0; k < series.size(); ++k) {
    SlotColumns points = merge_windows((*slots)[k].columns, windows);
    if (out[k].points.size() == 0) {
      out[k].points = std::move(points);
    } else {
      out[k].points.add(points, Combine::kMerge);
    }
    if ((*slots)[k].open) set_open(*(*slots)[k].open, out[k]);
  }
  return Status::ok();
}

void BinReader::set_open(const SeriesSlots::Open& open, SeriesBins& out) const {
  const int64_t slot_ms = totals_tier(plan_, tiers_).step_s * 1000;
  const int64_t begin_ms = open.slot * slot_ms;
  // The range of the detail tier may begin before the first bin, and end after the last.
  if (begin_ms / 1000 < plan_.bins.first_s || begin_ms / 1000 >= plan_.bins.end_s()) return;
  const int64_t passed_ms = std::clamp(now_.time_since_epoch().count() - begin_ms, kPassedMin_ms, slot_ms);
  OpenSlot slot{plan_.bins.at(begin_ms / 1000), open.rate, open.rate, slot_ms - passed_ms};
  slot.rate_so_far = Bucket::of(Number::of(rate_over(open.rate, slot_ms, passed_ms)));
  out.open = slot;
}

}  // namespace statmill
