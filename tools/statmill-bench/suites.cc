#include "tools/statmill-bench/suites.h"

#include <array>

namespace statmill {
namespace {

// Reads the options of a suite, and returns its run with them.
template <auto kRead, auto kRun>
Result<SuiteRun> run_with(const po::variables_map& values) {
  auto options = kRead(values);
  if (!options) return options.error();
  return SuiteRun([options = std::move(*options)](const std::filesystem::path& programs) {
    return kRun(options, programs);
  });
}

constexpr std::array<Suite, 11> kSuites = {
    {{"ingest", "CPU that statmilld uses per accepted sample, and its memory per series", describe_ingest,
      run_with<ingest_options, run_ingest>},
     {"storage", "disk space, bytes written, CPU and RAM per bucket; reading, recovery and start",
      describe_storage, run_with<storage_options, run_storage>},
     {"query", "time of queries over HTTP, and the CPU that statmilld uses for them", describe_query,
      run_with<query_options, run_query>},
     {"remote", "CPU and memory of samples that come by remote_write and OTLP", describe_remote,
      run_with<remote_options, run_remote>},
     {"counters", "time of counting in a program, compared with other ways to count", describe_counters,
      run_with<counters_options, run_counters>},
     {"relay", "CPU that statmill-agent uses per relayed sample", describe_relay,
      run_with<relay_options, run_relay>},
     {"bpf", "time of the agent's eBPF programs per event, and CPU of the idle agent", describe_bpf,
      run_with<bpf_options, run_bpf>},
     {"agents", "CPU that statmilld uses per acknowledged sample; recovery of an agent's spool",
      describe_agents, run_with<agents_options, run_agents>},
     {"fleet", "CPU and memory of a statmilld that many hosts send to, each second", describe_fleet,
      run_with<fleet_options, run_fleet>},
     {"parsers", "time of parsing a line, with and without the fast parser of its dialect", describe_parsers,
      run_with<parsers_options, run_parsers>},
     {"sort", "time of sorting the series of a tick, compared with library functions", describe_sort,
      run_with<sort_options, run_sort>}}};

}  // namespace

std::span<const Suite> suites() { return kSuites; }

}  // namespace statmill
