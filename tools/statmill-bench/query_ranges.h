// Samples and requests that several measures of the suite `query` share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/statmill-bench/query_figures.h"

namespace statmill {

// 24 h of the series load{host="host0",job="bench"}, ..., which end at the present.
QueryData day_of(const QueryContext& context, Kind kind, size_t series, size_t samples_per_slot = 1);

// The value of `query`, an average over all series, at each step of the range.
QueryFigure average_figure(std::string name, const std::string& query, const QueryData& data, int64_t step_s);

// The last hour of one series at 60 s. Requires: `data` are gauges.
QueryFigure small_figure(const QueryData& data);

}  // namespace statmill
