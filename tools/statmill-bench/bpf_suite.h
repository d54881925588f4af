// Suite `bpf`: the cost of the agent's eBPF programs per event, and of the agent itself on an idle host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct BpfOptions {
  uint64_t operations = 200'000;  // per load: round trips, datagrams, calls; a fiftieth of it for disk reads
  size_t runs = 5;                // of the ping-pong, alternately with and without the agent
  size_t idle_s = 20;             // how long the idle agent is measured
};

// Starts the statmill-agent of the directory `programs` once per measure. Errors: kUnavailable without root
// or eBPF.
Result<std::vector<Measurement>> run_bpf(const BpfOptions& options, const std::filesystem::path& programs);

}  // namespace statmill
