// The command line of statmill-bench.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {

struct BenchOptions {
  SuiteRun run;  // runs the suite of the command line
  bool is_json = false;
  std::optional<std::string> help;  // if set: print it and exit; there is no run
};

// Parses `arguments`, which exclude the program's name. Errors: kInvalid with the reason.
Result<BenchOptions> parse_bench_options(std::span<const std::string> arguments);

// Parses the name of a suite and its options; no value is checked yet. Errors: kInvalid with the reason.
Result<po::variables_map> parse_suite_arguments(std::span<const std::string> arguments,
                                                const po::options_description& options);

}  // namespace statmill
