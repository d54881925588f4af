// Suite `storage`: what a bucket costs on disk, in writing, in CPU and in RAM, and what reading it and
// starting on it takes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct StorageOptions {
  std::vector<std::string> only;    // measures by name; empty: all
  double scale = 1;                 // of the number of series of every measure; > 0
  std::optional<size_t> series;     // of the measures of writing, in place of their own
  std::optional<size_t> slots;      // the same
  size_t ticks = 10;                // per slot; each series sends in one of them
  std::filesystem::path directory;  // where temporary data go; empty: the system's place
  std::filesystem::path data;       // files of real host series; empty: that measure is skipped
};

// "mix", "multi10", ..., in the order in which they run.
std::vector<std::string> storage_measures();

// Runs the measures and says on standard error what each is taken of. `server_program`: the statmilld for
// those that measure a whole server. Errors: those of the store, the server and the disk, saying in which
// measure.
Result<std::vector<Measurement>> run_storage(const StorageOptions& options,
                                             const std::filesystem::path& server_program, Timestamp now);

}  // namespace statmill
