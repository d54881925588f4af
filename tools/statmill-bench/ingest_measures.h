// The measures of the suite `ingest` that need more than one run of lines, and their shared functions.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "tools/statmill-bench/ingest_suite.h"
#include "tools/statmill-bench/measures.h"

namespace statmill {

struct IngestContext {
  const IngestOptions& options;
  const std::filesystem::path& server_program;
};

// ingest_series.cc: creates a million series in one pass, and measures their memory after two.
Measured measure_new_series(const IngestContext& context);
// ingest_queries.cc: HTTP queries for 24 h of one series and of ten, without load and while lines of 100,000
// series arrive over TCP at full speed.
Measured measure_queries(const IngestContext& context);
// ingest_stall.cc: the longest time that a TCP sender could not write while each tick held a million series.
Measured measure_stall(const IngestContext& context);

// Returns `n` times the requested scale; at least `min`.
size_t scaled(size_t n, double scale, size_t min);

// Prints a line such as "ingest: tcp.live.10k: 10000 series x 2000 passes" to standard error.
void say_ingest(std::string_view measure, const std::string& what);

}  // namespace statmill
