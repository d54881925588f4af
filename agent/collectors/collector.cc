#include "agent/collectors/collector.h"

namespace statmill {

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
