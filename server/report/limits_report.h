// The JSON of /api/v1/status/rejects and /api/v1/status/cardinality: refused lines, and where series come
// from.
#pragma once

#include <string>

#include "ingest/refusal_log.h"
#include "server/minute_count.h"
#include "server/report/reports.h"
#include "server/table/table.h"

namespace statmill {

inline constexpr size_t kPrefixesShown = 20;
inline constexpr size_t kSendersShown = 20;
inline constexpr size_t kKeysShown = 20;
// Prefixes counted separately by one report, about 1 MB: enough to include every prefix with more than 1/2048
// of all series.
inline constexpr size_t kPrefixesCounted = 4096;

// Returns {"rejects":[{"time":1700000000,"listener":"udp","sender":"10.0.0.7","reason":"bad_value","bytes":5,
// "line":"cpu x","truncated":false}]}, newest first. Bytes that are not visible ASCII are written as \xNN.
std::string rejects_json(const RefusalLog& refusals);

// As Reports::refused_with().
std::vector<Reports::Refused> refused_lines_with(const RefusalLog& refusals,
                                                 const std::vector<std::string>& words, size_t limit);

struct CardinalitySources {  // all must outlive it
  const Table& table;
  const RefusalLog& refusals;
  const MinuteCount& new_series;
};

// Counts series by the first `parts` parts of their names, at least 1, and the values of each label. Cost:
// one pass over all names, 0.1 s per million.
std::string cardinality_json(const CardinalitySources& sources, size_t parts);

}  // namespace statmill
