// See options.h.
#include "tools/statmill-bench/options.h"

#include <boost/program_options.hpp>
#include <limits>
#include <sstream>
#include <vector>

#include "base/text.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsage =
    "Usage: statmill-bench SUITE [OPTION]...\n"
    "Measures a statmilld. Suites: ingest.\n\n"
    "Without --line, --http and --pid it starts the statmilld next to it, with temporary data.\n\n";

po::options_description describe() {
  po::options_description out(110);
  const auto value = [](const char* placeholder) {
    return po::value<std::string>()->value_name(placeholder);
  };
  out.add_options()                                                                                         //
      ("line", value("HOST:PORT"), "where the server takes lines")                                          //
      ("http", value("URL"), "where its counters are read")                                                 //
      ("pid", value("PID"), "its process, for CPU and memory")                                              //
      ("series", value("COUNT")->default_value("10000"), "100 per host")                                    //
      ("samples", value("COUNT")->default_value("2000000"), "in whole passes over all series, at least 2")  //
      ("connections", value("COUNT")->default_value("1"), "a sender for each")                              //
      ("transport", value("NAME")->default_value("tcp"), "tcp or udp")                                      //
      ("order", value("NAME")->default_value("index"), "of series within a pass: index or random")          //
      ("times", value("NAME")->default_value("none"), "none: live; step: 10 s more each pass, a backfill")  //
      ("json", "one JSON object per line")                                                                  //
      ("help", "print this");
  return out;
}

// Which of two words an option has: false for the first. Errors: kInvalid.
Result<bool> choose(const po::variables_map& values, const char* option, std::string_view first,
                    std::string_view second) {
  const auto& text = values[option].as<std::string>();
  if (text == first || text == second) return text == second;
  return Error{ErrorCode::kInvalid, "--" + std::string(option) + " \"" + text + "\" is neither " +
                                        std::string(first) + " nor " + std::string(second)};
}

Result<size_t> count(const po::variables_map& values, const char* option, int64_t max) {
  const Result<int64_t> n = parse_integer(values[option].as<std::string>(), 1, max);
  if (!n) return Error(n.error()).with(std::string("--") + option);
  return static_cast<size_t>(*n);
}

Result<IngestOptions> ingest_options(const po::variables_map& values) {
  const Result<size_t> series = count(values, "series", 10'000'000);
  if (!series) return series.error();
  const Result<size_t> samples = count(values, "samples", 1'000'000'000);
  if (!samples) return samples.error();
  const Result<size_t> connections = count(values, "connections", 1000);
  if (!connections) return connections.error();
  const Result<bool> is_udp = choose(values, "transport", "tcp", "udp");
  if (!is_udp) return is_udp.error();
  const Result<bool> is_shuffled = choose(values, "order", "index", "random");
  if (!is_shuffled) return is_shuffled.error();
  const Result<bool> has_times = choose(values, "times", "none", "step");
  if (!has_times) return has_times.error();
  return IngestOptions{.series = *series,
                       .samples = *samples,
                       .connections = *connections,
                       .transport = *is_udp ? Transport::kUdp : Transport::kTcp,
                       .is_shuffled = *is_shuffled,
                       .has_times = *has_times};
}

Result<std::optional<ServerAddress>> server_address(const po::variables_map& values) {
  const size_t given = values.count("line") + values.count("http") + values.count("pid");
  if (given == 0) return std::optional<ServerAddress>();
  if (given < 3) return Error{ErrorCode::kInvalid, "--line, --http and --pid go together"};
  Result<Endpoint> line = parse_endpoint(values["line"].as<std::string>());
  if (!line) return Error(line.error()).with("--line");
  const Result<size_t> pid = count(values, "pid", std::numeric_limits<pid_t>::max());
  if (!pid) return pid.error();
  return std::optional(ServerAddress{
      .line = std::move(*line), .url = values["http"].as<std::string>(), .pid = static_cast<pid_t>(*pid)});
}

}  // namespace

Result<BenchOptions> parse_bench_options(std::span<const std::string> arguments) {
  const po::options_description visible = describe();
  po::options_description all;
  all.add(visible).add_options()("suite", po::value<std::string>());
  po::positional_options_description positional;
  positional.add("suite", 1);
  po::variables_map values;
  try {  // Boost's parser throws; it stops here
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
  BenchOptions out{.ingest = {}, .server = {}, .is_json = values.count("json") != 0, .help = {}};
  if (values.count("help") != 0) {
    std::ostringstream text;
    text << kUsage << visible;
    out.help = text.str();
    return out;
  }
  if (values.count("suite") == 0) return Error{ErrorCode::kInvalid, "no suite is named; see --help"};
  if (const auto& suite = values["suite"].as<std::string>(); suite != "ingest") {
    return Error{ErrorCode::kInvalid, "no suite \"" + suite + "\"; see --help"};
  }
  const Result<IngestOptions> ingest = ingest_options(values);
  if (!ingest) return ingest.error();
  out.ingest = *ingest;
  Result<std::optional<ServerAddress>> server = server_address(values);
  if (!server) return server.error();
  out.server = std::move(*server);
  return out;
}

}  // namespace statmill
