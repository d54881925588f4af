// Suite `ingest`: what a sample costs the server on its way in, over each transport and dialect and for many
// numbers of series; a series in memory; and what ingest and queries do to each other.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tools/statmill-bench/ingest.h"

namespace statmill {

struct IngestOptions {
  std::vector<std::string> only;        // measures by name; empty: all
  double scale = 1;                     // of the number of samples of every measure; > 0
  std::optional<IngestRun> run;         // this instead of the suite
  std::optional<ServerAddress> server;  // of the run; none: start one
  std::filesystem::path directory;      // where temporary data go; empty: the system's place
  size_t connections = 1;
  std::optional<uint64_t> rate;  // samples per second; 0: as fast as it goes; none: each measure's own
};

// "tcp.live.10k", ..., in the order in which they run.
std::vector<std::string> ingest_measures();

// The measures that a name picks: the one of that name, or all whose names go on behind it with a point.
std::vector<std::string> pick_measures(const std::vector<std::string>& measures, std::string_view name);

// The run of a measure of samples, scaled. Where that leaves fewer than four passes, there are fewer series.
// Requires: one of ingest_measures() with a transport in its name.
IngestRun ingest_measure_run(std::string_view measure, const IngestOptions& options);

// Runs the measures, each with a statmilld of its own, or the one run, and says on standard error what each
// is taken of. Errors: those of measure_ingest, saying in which measure.
Result<std::vector<Measurement>> run_ingest(const IngestOptions& options,
                                            const std::filesystem::path& server_program, Timestamp now);

}  // namespace statmill
