// Heatmap: turns the histograms of many slots into rows, one row per range of values. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "server/query/query_control.h"
#include "storage/slot_columns.h"

namespace statmill {

struct HeatmapRow {
  double low = 0;                // the row counts values from `low`
  double high = 0;               // to `high`; zero has its own row, from 0 to 0
  std::vector<uint64_t> counts;  // number of samples, one per point
};

// Returns the rows of the columns' histograms that have any sample, by ascending values. 2^grouping_power
// rows cover the range from one power of two to the next; fewer if a histogram has joined buckets. Errors:
// those of the control, for more counts than heatmap_cells_max. Requires: 0 <= grouping_power <=
// kHistogramGroupingPower.
Result<std::vector<HeatmapRow>> heatmap_rows(const SlotColumns& points, int grouping_power,
                                             QueryControl& control);

}  // namespace statmill
