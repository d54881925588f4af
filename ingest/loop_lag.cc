#include "ingest/loop_lag.h"

#include <string>

namespace statmill {

std::function<void(std::string_view loop, std::chrono::nanoseconds lag)> loop_lag_recorder(
    Registry& registry) {
  return [&registry](std::string_view loop, std::chrono::nanoseconds lag) {
    registry
        .histogram("statmill.loop_lag_ns", "How late an event loop served a ping.",
                   {{"loop", std::string(loop)}})
        .record(static_cast<uint64_t>(lag.count()));
  };
}

}  // namespace statmill
