#include "tools/statmill-bench/options.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "tools/statmill-bench/option_values.h"

namespace statmill {
namespace {

constexpr std::string_view kUsage =
    "Usage: statmill-bench SUITE [OPTION]...\n"
    "Suites: ingest   CPU that statmilld uses per accepted sample, and its memory per series\n"
    "        storage  disk space, bytes written, CPU and RAM per bucket; reading, recovery and start\n"
    "        counters time of counting in a program, compared with other ways to count\n"
    "        relay    CPU that statmill-agent uses per relayed sample\n"
    "        bpf      time of the agent's eBPF programs per event, and CPU of the idle agent\n"
    "        agents   CPU that statmilld uses per acknowledged sample; recovery of an agent's spool\n\n";

po::options_description describe_common() {
  po::options_description out("all", kHelpWidth);
  out.add_options()("json", "prints one JSON object per line")("help", "prints this help");
  return out;
}

// Parses the arguments with the options of one suite. Boost's parser throws; the exceptions are caught here.
Result<po::variables_map> read_arguments(std::span<const std::string> arguments,
                                         const po::options_description& options) {
  po::positional_options_description positional;
  positional.add("suite", 1);
  po::options_description all;
  all.add(options).add(describe_common()).add_options()("suite", po::value<std::string>());
  po::variables_map values;
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

std::string help_text() {
  std::ostringstream text;
  text << kUsage << describe_ingest() << "\n"
       << describe_storage() << "\n"
       << describe_counters() << "\n"
       << describe_relay() << "\n"
       << describe_bpf() << "\n"
       << describe_agents() << "\n"
       << describe_common();
  return text.str();
}

po::options_description describe(Suite suite) {
  switch (suite) {
    case Suite::kIngest:
      return describe_ingest();
    case Suite::kStorage:
      return describe_storage();
    case Suite::kCounters:
      return describe_counters();
    case Suite::kRelay:
      return describe_relay();
    case Suite::kBpf:
      return describe_bpf();
    case Suite::kAgents:
      return describe_agents();
  }
  return po::options_description();
}

// Returns the options, including those of their suite. Errors: kInvalid.
template <class Options>
Result<BenchOptions> with(BenchOptions all, Options BenchOptions::*of_suite, Result<Options> options) {
  if (!options) return options.error();
  all.*of_suite = std::move(*options);
  return all;
}

Result<Suite> suite_of(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) {
    return Error{ErrorCode::kInvalid, "no suite is named; see --help"};
  }
  const std::string& suite = arguments.front();
  if (suite == "ingest") return Suite::kIngest;
  if (suite == "storage") return Suite::kStorage;
  if (suite == "counters") return Suite::kCounters;
  if (suite == "relay") return Suite::kRelay;
  if (suite == "bpf") return Suite::kBpf;
  if (suite == "agents") return Suite::kAgents;
  return Error{ErrorCode::kInvalid, "no suite \"" + suite + "\"; see --help"};
}

}  // namespace

Result<BenchOptions> parse_bench_options(std::span<const std::string> arguments) {
  BenchOptions out;
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    out.help = help_text();
    return out;
  }
  const Result<Suite> suite = suite_of(arguments);
  if (!suite) return suite.error();
  out.suite = *suite;
  const auto values = read_arguments(arguments, describe(*suite));
  if (!values) return values.error();
  out.is_json = values->count("json") != 0;
  switch (*suite) {
    case Suite::kIngest:
      return with(out, &BenchOptions::ingest, ingest_options(*values));
    case Suite::kStorage:
      return with(out, &BenchOptions::storage, storage_options(*values));
    case Suite::kCounters:
      return with(out, &BenchOptions::counters, counters_options(*values));
    case Suite::kRelay:
      return with(out, &BenchOptions::relay, relay_options(*values));
    case Suite::kBpf:
      return with(out, &BenchOptions::bpf, bpf_options(*values));
    case Suite::kAgents:
      return with(out, &BenchOptions::agents, agents_options(*values));
  }
  return out;
}

}  // namespace statmill
