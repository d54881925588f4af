#include "server/query/heatmap.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

HeatmapRow make_row(HistogramIndex first, int joined_power, std::vector<uint64_t> counts) {
  HeatmapRow row{histogram_lower_edge(first), histogram_upper_edge(first, joined_power), std::move(counts)};
  if (first < 0) std::swap(row.low, row.high);
  return row;
}

}  // namespace

Result<std::vector<HeatmapRow>> heatmap_rows(const SlotColumns& points, int grouping_power,
                                             QueryControl& control) {
  SM_CHECK(grouping_power >= 0 && grouping_power <= kHistogramGroupingPower);
  int joined_power = kHistogramGroupingPower - grouping_power;
  for (const SlotHistogram& h : points.histograms)
    joined_power = std::max(joined_power, h.histogram.joined_power());
  std::map<HistogramIndex, std::vector<uint64_t>> rows;
  for (const SlotHistogram& h : points.histograms) {
    for (const HistogramCell& cell : h.histogram.cells()) {
      std::vector<uint64_t>& counts = rows[joined_index(cell.index, joined_power)];
      if (counts.empty() && rows.size() * points.size() > control.limits().heatmap_cells_max)
        return control.refuse(QueryLimit::kHeatmapCells, rows.size() * points.size());
      counts.resize(points.size());
      counts[static_cast<size_t>(h.slot - points.begin)] += cell.count;
    }
  }
  std::vector<HeatmapRow> out;
  out.reserve(rows.size());
  for (auto& [first, counts] : rows) out.push_back(make_row(first, joined_power, std::move(counts)));
  return out;
}

}  // namespace statmill
