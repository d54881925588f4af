// Shared by the command lines of the suites: options by name, and how their values are parsed.
#pragma once

#include <boost/program_options.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/options.h"

namespace statmill {

namespace po = boost::program_options;

inline constexpr unsigned kHelpWidth = 110;

// The options of one suite, and the function that parses them. Errors: kInvalid with the option's name.
po::options_description describe_ingest();
po::options_description describe_storage();
po::options_description describe_counters();
po::options_description describe_relay();
po::options_description describe_bpf();
po::options_description describe_agents();
Result<IngestOptions> ingest_options(const po::variables_map& values);
Result<StorageOptions> storage_options(const po::variables_map& values);
Result<CountersOptions> counters_options(const po::variables_map& values);
Result<RelayBenchOptions> relay_options(const po::variables_map& values);
Result<BpfOptions> bpf_options(const po::variables_map& values);
Result<AgentsBenchOptions> agents_options(const po::variables_map& values);

inline auto text_value(const char* placeholder) { return po::value<std::string>()->value_name(placeholder); }
std::string joined(const std::vector<std::string>& words);

// These return the value of an option. Requires: the option is given or has a default, except where the
// result is optional. Errors: kInvalid with the option's name. Returns the index of the option's value in the
// list of allowed words.
Result<size_t> choice(const po::variables_map& values, const char* option,
                      const std::vector<std::string>& words);
// Parses an integer in [min, max]. The second function returns nullopt if the option is not given.
struct CountBounds {
  int64_t min = 1;
  int64_t max = std::numeric_limits<int64_t>::max();
};
Result<size_t> count(const po::variables_map& values, const char* option, CountBounds bounds);
Result<std::optional<size_t>> optional_count(const po::variables_map& values, const char* option,
                                             CountBounds bounds);
// Parses a number in (0, max].
Result<double> factor(const po::variables_map& values, const char* option, double max);
// Returns the measures that --only names, in the order of the suite; empty if it is not given. `pick` returns
// the measures that one name selects.
Result<std::vector<std::string>> measures_asked(
    const po::variables_map& values, const std::vector<std::string>& known,
    std::vector<std::string> (*pick)(const std::vector<std::string>& known, std::string_view name));

}  // namespace statmill
