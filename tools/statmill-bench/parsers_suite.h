// Suite `parsers`: the cost of parsing a line in datagrams and in long reads, as it is and with the general
// parser of the dialect alone, which shows what the dialect's fast parser saves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct ParsersOptions {
  std::vector<std::string> only;  // measures by name; empty: all
  uint64_t lines = 20'000;        // parsed in each run
  size_t runs = 51;               // per measure, alternately with both parsers; the medians are reported
};

// "statsd", "statsd_single", ...
std::vector<std::string> parsers_measures();

// Runs in this process; starts none of `programs`.
Result<std::vector<Measurement>> run_parsers(const ParsersOptions& options,
                                             const std::filesystem::path& programs);

}  // namespace statmill
