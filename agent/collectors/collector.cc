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

std::string series_part(std::string_view text) {
  std::string part(text);
  for (char& c : part) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return part;
}

}  // namespace statmill
