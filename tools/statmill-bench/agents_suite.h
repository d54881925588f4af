// Suite `agents`: what a sample costs a server that acknowledges it, how soon it does, and how soon an agent
// with a large spool is back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct AgentsBenchOptions {
  std::vector<std::string> only;  // measures by name; empty: all
  size_t agents = 4;
  size_t series = 10'000;
  uint64_t samples = 20'000'000;   // of `throughput`; an eighth of `latency`; in whole passes over all series
  uint64_t rate = 200'000;         // samples per second, of `latency`
  uint64_t spool_bytes = 1 << 30;  // of `recovery`
};

// "throughput", "latency", "recovery"
std::vector<std::string> agents_measures();

// `programs`: where statmilld and statmill-agent are. Nothing is believed: the server must have every sample
// that it acknowledged.
Result<std::vector<Measurement>> run_agents(const AgentsBenchOptions& options,
                                            const std::filesystem::path& programs);

// A measure of its own file: see agents_recovery.cc.
Result<std::vector<Measurement>> measure_spool_recovery(const AgentsBenchOptions& options,
                                                        const std::filesystem::path& programs);

}  // namespace statmill
