// QueryLimits: what one query may use, and what all may use together. QueryLimit names each of them, for
// errors and for metrics.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace statmill {

struct QueryLimits {
  static constexpr int64_t kDefaultPoints = 1000;
  Duration timeout = std::chrono::seconds(10);        // for one query, from its start; a request may lower it
  size_t selected_max = 200'000;                      // series that a query reads
  size_t series_max = 10'000;                         // series of one answer
  size_t slots_max = 200'000'000;                     // stored slots that a query reads
  size_t heavy_slots = 100'000;                       // a query that reads more slots is a heavy one
  size_t points_max = 1'000'000;                      // slots of one answer, of all series together
  size_t evaluations_max = 10'000'000;                // evaluations of subqueries in one query
  size_t memory_bytes_max = size_t{64} << 20;         // memory of one query
  size_t memory_total_bytes_max = size_t{256} << 20;  // memory of all queries together
  size_t heatmap_cells_max = 1'000'000;               // rows times slots of one heatmap
  size_t histogram_bytes_max = size_t{256} << 20;     // histograms that one query holds at the same time
};

// The labels are part of /metrics and never change.
enum class QueryLimit : uint8_t {
  kSelected,
  kSeries,
  kSlots,
  kPoints,
  kEvaluations,
  kHeatmapCells,
  kHistogramBytes,
  kMemory,
  kMemoryTotal,  // all queries together hold too much: the query may succeed later
  kCount_,       // the number of limits, not a limit
};

inline constexpr size_t kQueryLimitCount = static_cast<size_t>(QueryLimit::kCount_);

struct QueryLimitInfo {
  std::string_view label;    // in statmill_queries_refused_total{limit}
  std::string_view setting;  // the option that raises it; empty if it is fixed
  std::string_view what;     // what is counted: "points"
  std::string_view advice;   // what to ask instead
};

const QueryLimitInfo& limit_info(QueryLimit limit);

// The value of a limit in its unit.
uint64_t limit_value(const QueryLimits& limits, QueryLimit limit);

}  // namespace statmill
