// Suite `relay`: what a sample costs the agent of its host on the way to the server, added up and passed on.
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
  uint64_t samples = 5'000'000;  // of each measure, in whole passes over all series, at least 2
  uint64_t rate = 500'000;       // samples per second
};

// "tcp", "udp", "passed_on.tcp", "passed_on.udp"
std::vector<std::string> relay_measures();

// `programs`: where statmilld and statmill-agent are. Nothing is believed: the server must have every sample
// that was sent.
Result<std::vector<Measurement>> run_relay(const RelayBenchOptions& options,
                                           const std::filesystem::path& programs);

}  // namespace statmill
