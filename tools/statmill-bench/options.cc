#include "tools/statmill-bench/options.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <vector>

namespace statmill {
namespace {

constexpr int kSuiteWidth = 9;  // the longest name has 8 letters, and a space follows

po::options_description describe_common() {
  po::options_description out("all", kHelpWidth);
  out.add_options()("json", "prints one JSON object per line")("help", "prints this help");
  return out;
}

std::string help_text() {
  std::ostringstream text;
  text << "Usage: statmill-bench SUITE [OPTION]...\n";
  const char* heading = "Suites: ";
  for (const Suite& suite : suites()) {
    text << heading << std::left << std::setw(kSuiteWidth) << suite.name << suite.purpose << "\n";
    heading = "        ";
  }
  text << "\n";
  for (const Suite& suite : suites()) text << suite.options() << "\n";
  text << describe_common();
  return text.str();
}

// Returns the suite that the first argument names. Errors: kInvalid.
Result<const Suite*> suite_of(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) {
    return Error{ErrorCode::kInvalid, "no suite is named; see --help"};
  }
  for (const Suite& suite : suites()) {
    if (suite.name == arguments.front()) return &suite;
  }
  return Error{ErrorCode::kInvalid, "no suite \"" + arguments.front() + "\"; see --help"};
}

}  // namespace

Result<po::variables_map> parse_suite_arguments(std::span<const std::string> arguments,
                                                const po::options_description& options) {
  po::positional_options_description positional;
  positional.add("suite", 1);
  po::options_description all;
  all.add(options).add(describe_common()).add_options()("suite", po::value<std::string>());
  po::variables_map values;
  // Boost's parser throws.
  try {
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(std::vector<std::string>(arguments.begin(), arguments.end()))
                  .options(all)
                  .positional(positional)
                  .style(style::allow_long | style::long_allow_next | style::long_allow_adjacent)
                  .run(),
              values);
  } catch (const po::error& e) {
    return Error{ErrorCode::kInvalid, e.what()};
  }
  return values;
}

Result<BenchOptions> parse_bench_options(std::span<const std::string> arguments) {
  BenchOptions out;
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    out.help = help_text();
    return out;
  }
  const Result<const Suite*> suite = suite_of(arguments);
  if (!suite) return suite.error();
  const auto values = parse_suite_arguments(arguments, (*suite)->options());
  if (!values) return values.error();
  Result<SuiteRun> run = (*suite)->run(*values);
  if (!run) return run.error();
  out.run = std::move(*run);
  out.is_json = values->count("json") != 0;
  return out;
}

}  // namespace statmill
