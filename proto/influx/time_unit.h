// The times of InfluxDB's line protocol: integers in a unit that the sender names with each request.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/verdict.h"
#include "proto/refusal.h"

namespace statmill {

enum class InfluxUnit : uint8_t { kNanosecond, kMicrosecond, kMillisecond, kSecond, kMinute, kHour };

// Parses the parameter `precision` of a request: n, ns, u, us, µ, ms, s, m or h. Returns nullopt for any
// other text.
std::optional<InfluxUnit> parse_influx_unit(std::string_view text);

// Sets `time_s` to the unix time of a whole text, rounded down to seconds. Refuses with kBadTime all but an
// integer of 64 bits whose seconds fit 64 bits, too.
Verdict<Refusal> read_influx_time(std::string_view text, InfluxUnit unit, int64_t& time_s);

}  // namespace statmill
