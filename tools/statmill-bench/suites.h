// The table of suites: their names, options and the functions that run them.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "tools/statmill-bench/agents_suite.h"
#include "tools/statmill-bench/bpf_suite.h"
#include "tools/statmill-bench/counters_suite.h"
#include "tools/statmill-bench/fleet_suite.h"
#include "tools/statmill-bench/ingest_suite.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/option_values.h"
#include "tools/statmill-bench/parsers_suite.h"
#include "tools/statmill-bench/query_suite.h"
#include "tools/statmill-bench/relay_suite.h"
#include "tools/statmill-bench/remote_suite.h"
#include "tools/statmill-bench/sort_suite.h"
#include "tools/statmill-bench/storage_suite.h"

namespace statmill {

// Runs a suite with the options that it was made for. `programs` is the directory of statmilld and
// statmill-agent.
using SuiteRun = std::function<Measured(const std::filesystem::path& programs)>;

struct Suite {
  std::string_view name;
  std::string_view purpose;                                  // a line of --help
  po::options_description (*options)();                      // with their defaults, for --help and the parser
  Result<SuiteRun> (*run)(const po::variables_map& values);  // errors: kInvalid with the option's name
};

// All suites, in the order in which --help lists them.
std::span<const Suite> suites();

// The options of one suite, and the function that parses them. Errors: kInvalid with the option's name.
po::options_description describe_ingest();
po::options_description describe_storage();
po::options_description describe_counters();
po::options_description describe_relay();
po::options_description describe_remote();
po::options_description describe_bpf();
po::options_description describe_agents();
po::options_description describe_fleet();
po::options_description describe_parsers();
po::options_description describe_sort();
po::options_description describe_query();
Result<IngestOptions> ingest_options(const po::variables_map& values);
Result<StorageOptions> storage_options(const po::variables_map& values);
Result<CountersOptions> counters_options(const po::variables_map& values);
Result<RelayBenchOptions> relay_options(const po::variables_map& values);
Result<RemoteBenchOptions> remote_options(const po::variables_map& values);
Result<BpfOptions> bpf_options(const po::variables_map& values);
Result<AgentsBenchOptions> agents_options(const po::variables_map& values);
Result<FleetBenchOptions> fleet_options(const po::variables_map& values);
Result<ParsersOptions> parsers_options(const po::variables_map& values);
Result<SortOptions> sort_options(const po::variables_map& values);
Result<QueryBenchOptions> query_options(const po::variables_map& values);

}  // namespace statmill
