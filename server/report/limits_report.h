// What /api/v1/status/rejects and /api/v1/status/cardinality say: what met a limit or a rule, and whose it
// was.
#pragma once

#include <string>

#include "ingest/refusal_log.h"
#include "server/minute_count.h"
#include "server/table/table.h"

namespace statmill {

inline constexpr size_t kPrefixesShown = 20;
inline constexpr size_t kSendersShown = 20;
// Prefixes that one report counts on their own, about 1 MB: any that has more than 1/2048 of all series is
// among them.
inline constexpr size_t kPrefixesCounted = 4096;

// {"rejects":[{"time":1700000000,"listener":"udp","sender":"10.0.0.7","reason":"bad_value","bytes":5,
// "line":"cpu x","truncated":false}]}, the newest first; what is not visible ASCII stands as \xNN.
std::string rejects_json(const RefusalLog& refusals);

struct CardinalitySources {  // all must outlive it
  const Table& table;
  const RefusalLog& refusals;
  const MinuteCount& new_series;
};

// Prefixes are so many parts of a path: at least 1. Cost: a look at every name, 0.1 s per million.
std::string cardinality_json(const CardinalitySources& sources, size_t parts);

}  // namespace statmill
