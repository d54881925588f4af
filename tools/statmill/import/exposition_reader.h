// Reads text of Prometheus whose samples have times: OpenMetrics, as `promtool tsdb dump-openmetrics` and
// `statmill export` write it, the text format 0.0.4, and what `promtool tsdb dump` writes. Values of
// cumulative counters become increments (CounterSteps).
#pragma once

#include <memory>

#include "proto/prometheus/exposition_reader.h"
#include "tools/statmill/import/history_reader.h"
#include "tools/statmill/import/line_file.h"

namespace statmill {

// `file` begins at its begin. `promtool tsdb dump` writes lines of the format kText.
std::unique_ptr<HistoryReader> make_exposition_history_reader(Descriptor file, ExpositionFormat format);

}  // namespace statmill
