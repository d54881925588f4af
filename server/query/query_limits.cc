#include "server/query/query_limits.h"

#include <array>

#include "base/check.h"

namespace statmill {
namespace {

struct LimitRow {
  QueryLimit limit;
  QueryLimitInfo info;
};

// In the order of the enumeration.
constexpr std::array<LimitRow, kQueryLimitCount> kLimitRows = {{
    {QueryLimit::kSelected,
     {"selected", "query.selected", "series to read", "ask for fewer series, with a narrower pattern"}},
    {QueryLimit::kSeries,
     {"series", "query.series", "series in the answer", "narrow the pattern, or add series up"}},
    {QueryLimit::kSlots,
     {"slots", "query.slots", "stored slots to read",
      "ask for fewer series, a shorter range or a larger step"}},
    {QueryLimit::kPoints,
     {"points", "query.points", "points in the answer",
      "ask for fewer series, a shorter range or a larger step"}},
    {QueryLimit::kEvaluations,
     {"evaluations", "query.evaluations", "evaluations of subqueries",
      "ask for a shorter range or a larger step of the subquery"}},
    {QueryLimit::kHeatmapCells,
     {"heatmap_cells", "", "cells in the heatmap",
      "ask for a lower grouping, a shorter range or a larger step"}},
    {QueryLimit::kHistogramBytes,
     {"histogram_bytes", "", "bytes of histograms", "ask for a shorter range or a larger step"}},
    {QueryLimit::kMemory,
     {"memory", "query.memory", "bytes of memory", "ask for fewer series, a shorter range or a larger step"}},
    {QueryLimit::kMemoryTotal,
     {"memory_total", "query.memory_total", "bytes of memory, together with the other queries", "try again"}},
}};

}  // namespace

const QueryLimitInfo& limit_info(QueryLimit limit) {
  const LimitRow& row = kLimitRows[static_cast<size_t>(limit)];
  SM_CHECK(row.limit == limit);
  return row.info;
}

uint64_t limit_value(const QueryLimits& limits, QueryLimit limit) {
  switch (limit) {
    case QueryLimit::kSelected:
      return limits.selected_max;
    case QueryLimit::kSeries:
      return limits.series_max;
    case QueryLimit::kSlots:
      return limits.slots_max;
    case QueryLimit::kPoints:
      return limits.points_max;
    case QueryLimit::kEvaluations:
      return limits.evaluations_max;
    case QueryLimit::kHeatmapCells:
      return limits.heatmap_cells_max;
    case QueryLimit::kHistogramBytes:
      return limits.histogram_bytes_max;
    case QueryLimit::kMemory:
      return limits.memory_bytes_max;
    case QueryLimit::kMemoryTotal:
      return limits.memory_total_bytes_max;
    case QueryLimit::kCount_:
      break;
  }
  return 0;
}

}  // namespace statmill
