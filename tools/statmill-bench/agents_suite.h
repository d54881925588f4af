// Suite `agents`: the server's cost of a sample that it acknowledges, the delay of the acknowledgment, and
// the time that an agent needs to start with a large spool.
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
  uint64_t samples =
      20'000'000;  // sent by `throughput`; `latency` sends an eighth; rounded to whole passes over all series
  uint64_t rate = 200'000;         // samples per second that `latency` sends
  uint64_t spool_bytes = 1 << 30;  // the size of the spool that `recovery` opens
  size_t reconnects = 10'000;      // agents that `reconnect` connects
  std::string certificate = {};    // PEM, for 127.0.0.1: the measures of TLS need it
  std::string key = {};            // its private key, PEM
};

// "throughput", "latency", "recovery", "throughput_tls", "reconnect"
std::vector<std::string> agents_measures();

// `programs` is the directory of statmilld and statmill-agent. Verifies that the server has every sample that
// it acknowledged.
Result<std::vector<Measurement>> run_agents(const AgentsBenchOptions& options,
                                            const std::filesystem::path& programs);

// Measures how soon an agent is ready after kill -9 (agents_recovery.cc).
Result<std::vector<Measurement>> measure_spool_recovery(const AgentsBenchOptions& options,
                                                        const std::filesystem::path& programs);

}  // namespace statmill
