#include "server/query/read/packed_histograms.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace statmill {

PackedHistograms::PackedHistograms(std::span<const SlotHistogram> histograms) {
  if (histograms.empty()) return;
  std::vector<int64_t> indices;
  std::vector<int64_t> counts;
  places_.reserve(histograms.size() + 1);
  for (const SlotHistogram& h : histograms) {
    places_.push_back({h.slot, static_cast<uint32_t>(indices.size()), h.histogram.joined_power()});
    for (const SparseHistogram::Cell& cell : h.histogram.cells()) {
      indices.push_back(cell.index);
      counts.push_back(static_cast<int64_t>(cell.count));
    }
  }
  places_.push_back({std::numeric_limits<Slot>::max(), static_cast<uint32_t>(indices.size()), 0});
  indices_ = PackedIntegers(indices);
  counts_ = PackedIntegers(counts);
}

void PackedHistograms::unpack_into(std::vector<SlotHistogram>& out, Slot begin, Slot end) const {
  const auto first = std::ranges::lower_bound(places_, begin, {}, &Place::slot);
  const auto last = std::ranges::lower_bound(places_, end, {}, &Place::slot);
  if (first >= last) return;
  const bool is_after = out.empty() || out.back().slot < first->slot;
  std::vector<SlotHistogram> apart;
  std::vector<SlotHistogram>& to = is_after ? out : apart;
  to.reserve(to.size() + static_cast<size_t>(last - first));
  const size_t cells = last->first_cell - first->first_cell;
  std::vector<int64_t> indices(cells);
  std::vector<int64_t> counts(cells);
  indices_.unpack(first->first_cell, cells, indices.data());
  counts_.unpack(first->first_cell, cells, counts.data());
  size_t at = 0;
  for (auto place = first; place != last; ++place) {
    std::vector<SparseHistogram::Cell> of_slot(place[1].first_cell - place->first_cell);
    for (SparseHistogram::Cell& cell : of_slot) {
      cell = {static_cast<HistogramIndex>(indices[at]), static_cast<uint64_t>(counts[at])};
      ++at;
    }
    to.push_back({place->slot, *SparseHistogram::from_cells(std::move(of_slot), place->joined_power)});
  }
  if (!is_after) merge_into(out, apart);
}

size_t PackedHistograms::memory_bytes() const {
  return places_.capacity() * sizeof(Place) + indices_.bytes() + counts_.bytes();
}

}  // namespace statmill
