// Suite `fleet`: what a server costs that many hosts send to, each second, as agents do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct FleetBenchOptions {
  size_t hosts = 200;
  size_t warm_up = 60;   // seconds in which all series come to be
  size_t seconds = 120;  // after that, over which the server is measured
  size_t threads = 1;    // that send
};

// Returns the second's lines of a host, from those that `statmill-agent --once` prints on this one: other
// amounts, and of each eighth gauge another value. `variant` is any number.
std::string vary_lines(std::string_view lines, uint64_t variant);

// `programs` is the directory of statmilld and statmill-agent.
Result<std::vector<Measurement>> run_fleet(const FleetBenchOptions& options,
                                           const std::filesystem::path& programs);

}  // namespace statmill
