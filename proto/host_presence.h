// The presence of a host: the series whose samples say when the host's agent was at work.
#pragma once

#include <string_view>

namespace statmill {

// Each agent counts its collections in the counter `host.up;host=NAME`, one in each interval.
// A silent slot of an event series with the same `host` is 0 only if this counter has a sample there:
// otherwise nobody looked.
inline constexpr std::string_view kPresencePath = "host.up";
inline constexpr std::string_view kHostTag = "host";

}  // namespace statmill
