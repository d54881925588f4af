// Suite `relay`: the cost of a sample in the agent that relays it, both summed and passed on one by one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct RelayBenchOptions {
  std::vector<std::string> only;  // measures by name; empty: all
  size_t series = 10'000;
  uint64_t samples = 5'000'000;  // per measure, rounded to whole passes over all series; at least 2 passes
  uint64_t rate = 500'000;       // samples per second
};

// "tcp", "udp", "passed_on.tcp", "passed_on.udp"
std::vector<std::string> relay_measures();

// `programs` is the directory of statmilld and statmill-agent. Verifies that the server has every sample that
// was sent.
Result<std::vector<Measurement>> run_relay(const RelayBenchOptions& options,
                                           const std::filesystem::path& programs);

}  // namespace statmill
