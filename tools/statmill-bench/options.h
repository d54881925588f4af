// The command line of statmill-bench.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "tools/statmill-bench/agents_suite.h"
#include "tools/statmill-bench/bpf_suite.h"
#include "tools/statmill-bench/counters_suite.h"
#include "tools/statmill-bench/ingest_suite.h"
#include "tools/statmill-bench/relay_suite.h"
#include "tools/statmill-bench/storage_suite.h"

namespace statmill {

enum class Suite { kIngest, kStorage, kCounters, kRelay, kBpf, kAgents };

struct BenchOptions {
  Suite suite = Suite::kIngest;
  IngestOptions ingest;
  StorageOptions storage;
  CountersOptions counters;
  RelayBenchOptions relay;
  BpfOptions bpf;
  AgentsBenchOptions agents;
  bool is_json = false;
  std::optional<std::string> help;  // if set: print it and exit
};

// Parses `arguments`, which exclude the program's name. Errors: kInvalid with the reason.
Result<BenchOptions> parse_bench_options(std::span<const std::string> arguments);

}  // namespace statmill
