#include "agent/collectors/collector.h"

namespace statmill {

void MetricSink::increment(CounterFamily family, uint64_t by) {
  std::string line = "$c ";  // an exact line: ordinary ones have no counters
  append_series_name(line, family.family(), {});
  line.append(" ").append(std::to_string(by)).append("\n");
  lines(line);
}

std::string_view status_text(CollectorStatus::Level level) {
  switch (level) {
    case CollectorStatus::Level::kOk:
      return "ok";
    case CollectorStatus::Level::kDegraded:
      return "degraded";
    case CollectorStatus::Level::kUnavailable:
      break;
  }
  return "unavailable";
}

}  // namespace statmill
