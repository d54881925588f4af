// Suite `storage`: the cost of a bucket on disk, in bytes written, in CPU and in RAM, and the time to read it
// and to recover with it.
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
  double scale = 1;                 // multiplies the number of series of each measure; > 0
  std::optional<size_t> series;     // replaces the number of series of the measures of writing
  std::optional<size_t> slots;      // replaces their number of slots
  size_t ticks = 10;                // ticks per slot; each series sends in one of them
  std::filesystem::path directory;  // for temporary data; empty: the system's directory
  std::filesystem::path data;       // directory of real host series; empty: skips that measure
};

// "mix", "multi10", ..., in the order in which they run.
std::vector<std::string> storage_measures();

// Runs the measures and prints the size of each to standard error. `programs` is the directory of statmilld,
// for the measures of a whole server. Errors: those of the store, the server and the disk, with the name of
// the measure.
Result<std::vector<Measurement>> run_storage(const StorageOptions& options,
                                             const std::filesystem::path& programs);

}  // namespace statmill
