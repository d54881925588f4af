// The measures of the suite `ingest` that are more than one run of lines, and what they share.
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

// ingest_series.cc: a million new series in one pass, and what they hold in memory after two.
Measured measure_new_series(const IngestContext& context);
// ingest_queries.cc: queries over HTTP of 24 h of a series and of ten, alone and while lines come in over TCP
// as fast as they go, 100 k series.
Measured measure_queries(const IngestContext& context);
// ingest_stall.cc: the longest that a sender over TCP could not write while every tick had a million series.
Measured measure_stall(const IngestContext& context);

// `n` times the scale asked for, at least `min`.
size_t scaled(size_t n, double scale, size_t min);

// "ingest: tcp.live.10k: 10000 series x 2000 passes" on standard error.
void say_ingest(std::string_view measure, const std::string& what);

}  // namespace statmill
