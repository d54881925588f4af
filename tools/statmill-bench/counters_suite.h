// Suite `counters`: the cost of an add with our counters and histograms and with other ways to count, and the
// cost of reading them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct CountersOptions {
  std::vector<std::string> only;    // measures by name; empty: all
  uint64_t operations = 4'000'000;  // per run, by all its threads together
  size_t runs = 5;                  // per measure, alternating between measures; the medians are reported
};

// "add", "histogram", "atomic", ...
std::vector<std::string> counters_measures();

// Runs in this process; starts none of `programs`.
Result<std::vector<Measurement>> run_counters(const CountersOptions& options,
                                              const std::filesystem::path& programs);

}  // namespace statmill
