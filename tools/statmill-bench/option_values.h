// Shared by the command lines of the suites: options by name, and how their values are parsed.
#pragma once

#include <boost/program_options.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

namespace po = boost::program_options;

inline constexpr unsigned kHelpWidth = 110;

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
// Returns the measures that --only selects, in its order; empty if it is not given.
Result<std::vector<std::string>> measures_asked(const po::variables_map& values,
                                                const std::vector<std::string>& known);
// Returns the peers that --peers selects: "all", "none", or some of those that are known.
Result<std::vector<std::string>> peers_asked(const po::variables_map& values,
                                             const std::vector<std::string>& known);
// Returns the measure of that name, or all measures whose name begins with it and a dot.
std::vector<std::string> pick_measures(const std::vector<std::string>& measures, std::string_view name);

}  // namespace statmill
