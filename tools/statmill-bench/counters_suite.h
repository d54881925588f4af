// Suite `counters`: what an add costs a program, by our counters and histograms and by other ways to count,
// and what reading them takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct CountersOptions {
  std::vector<std::string> only;    // measures by name; empty: all
  uint64_t operations = 4'000'000;  // of each run, by all its threads together
  size_t runs = 5;                  // of each measure, all in turn; the medians are told
};

// "add", "histogram", "atomic", ...
std::vector<std::string> counters_measures();

Result<std::vector<Measurement>> run_counters(const CountersOptions& options);

}  // namespace statmill
