// Writes samples as OpenMetrics text with times, as `promtool tsdb create-blocks-from openmetrics` reads it.
#pragma once

#include <memory>

#include "tools/statmill/export/history_writer.h"

namespace statmill {

std::unique_ptr<HistoryWriter> make_openmetrics_writer(WriteOut out);

}  // namespace statmill
