// Heatmap: the histograms of many slots as rows, a row for each range of values. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "storage/histogram.h"

namespace statmill {

struct HeatmapRow {
  double low = 0;                // values from here
  double high = 0;               // to here; zero has a row of its own, from 0 to 0
  std::vector<uint64_t> counts;  // samples, by slot
};

// The rows that hold any sample, ascending. 2^grouping_power rows cover each range from a power of two to the
// next; fewer, if a histogram has joined buckets. Errors: kLimit (more than `cells_max` counts). Requires:
// 0 <= grouping_power <= kHistogramGroupingPower.
Result<std::vector<HeatmapRow>> heatmap_rows(std::span<const SparseHistogram> slots, int grouping_power,
                                             size_t cells_max);

}  // namespace statmill
