// What the command lines of the suites have in common: options by name, and how their values are read.
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

// The options of one suite, and what they say. Errors: kInvalid, naming the option.
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

// The values of options. Requires, but where none is an answer: the option is given or has a default.
// Errors: kInvalid, naming the option.
// Which of these words an option has, by its place in the list.
Result<size_t> choice(const po::variables_map& values, const char* option,
                      const std::vector<std::string>& words);
// An integer in [min, max]; the second gives none when the option is not given.
struct CountBounds {
  int64_t min = 1;
  int64_t max = std::numeric_limits<int64_t>::max();
};
Result<size_t> count(const po::variables_map& values, const char* option, CountBounds bounds);
Result<std::optional<size_t>> optional_count(const po::variables_map& values, const char* option,
                                             CountBounds bounds);
// A number above 0, up to `max`.
Result<double> factor(const po::variables_map& values, const char* option, double max);
// The measures that --only names, in their order; none when it is not given. `pick` gives those that one name
// stands for.
Result<std::vector<std::string>> measures_asked(
    const po::variables_map& values, const std::vector<std::string>& known,
    std::vector<std::string> (*pick)(const std::vector<std::string>& known, std::string_view name));

}  // namespace statmill
