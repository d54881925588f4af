// Suite `ingest`: the server's cost per sample for each transport, dialect and number of series, the memory
// per series, and the effect of ingest and queries on each other.
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
  double scale = 1;                     // multiplies the number of samples of each measure; > 0
  std::optional<IngestRun> run;         // runs this one instead of the suite
  std::optional<ServerAddress> server;  // the target of the run; nullopt: start one
  std::filesystem::path directory;      // for temporary data; empty: the system's directory
  size_t connections = 1;
  std::optional<uint64_t> rate;  // samples per second; 0: full speed; nullopt: the rate of each measure
};

// "tcp.live.10k", ..., in the order in which they run.
std::vector<std::string> ingest_measures();

// Returns the scaled run of a measure. If that leaves fewer than four passes, the run has fewer series.
// Requires: one of ingest_measures() whose name contains a transport.
IngestRun ingest_measure_run(std::string_view measure, const IngestOptions& options);

// Runs the measures, each with a statmilld of its own, or the single run. `programs` is the directory of
// statmilld. Prints the size of each to standard error. Errors: those of measure_ingest, with the name of the
// measure.
Result<std::vector<Measurement>> run_ingest(const IngestOptions& options,
                                            const std::filesystem::path& programs);

}  // namespace statmill
