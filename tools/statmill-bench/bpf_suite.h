// Suite `bpf`: what the agent's eBPF programs take from the host for each event, and what the agent itself
// takes while nothing happens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/report.h"

namespace statmill {

struct BpfOptions {
  uint64_t operations = 200'000;  // of each load: round trips, datagrams, calls; reads of a disk: 1 in 50
  size_t runs = 5;                // of the ping-pong, with and without the agent in turn
  size_t idle_s = 20;             // over which the idle agent is measured
};

// Starts the agent `program` as often as it has to. Needs root and eBPF. Errors: kUnavailable without.
Result<std::vector<Measurement>> run_bpf(const BpfOptions& options, const std::filesystem::path& program);

}  // namespace statmill
