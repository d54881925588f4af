// See options.h.
#include "tools/statmill-bench/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <limits>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "proto/number.h"

namespace statmill {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kUsage =
    "Usage: statmill-bench SUITE [OPTION]...\n"
    "Suites: ingest  what a sample costs a statmilld on its way in, and a series in memory\n"
    "        storage what a bucket costs on disk, in writing, in CPU and RAM; reading, recovery, start\n\n";

constexpr unsigned kHelpWidth = 110;

auto value(const char* placeholder) { return po::value<std::string>()->value_name(placeholder); }

po::options_description describe_ingest() {
  po::options_description out(
      "ingest; without --line, --http and --pid it starts the statmilld next to it, with temporary data",
      kHelpWidth);
  out.add_options()                                                                                         //
      ("line", value("HOST:PORT"), "where the server takes lines")                                          //
      ("http", value("URL"), "where its counters are read")                                                 //
      ("pid", value("PID"), "its process, for CPU and memory")                                              //
      ("series", value("COUNT"), "100 per host; 10000 by default")                                          //
      ("samples", value("COUNT")->default_value("2000000"), "in whole passes over all series, at least 2")  //
      ("connections", value("COUNT")->default_value("1"), "a sender for each")                              //
      ("transport", value("NAME")->default_value("tcp"), "tcp, udp or udp_gso")                             //
      ("order", value("NAME")->default_value("index"), "of series within a pass: index or random")          //
      ("times", value("NAME")->default_value("none"), "none: live; step: 10 s more each pass, a backfill");
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out.append(out.empty() ? "" : ",").append(word);
  return out;
}

po::options_description describe_storage() {
  po::options_description out("storage; the whole takes 7 minutes, 6 GB of RAM, 2 GB of disk", kHelpWidth);
  const std::string only = "these measures alone: " + joined(storage_measures());
  out.add_options()                                                                                   //
      ("only", value("NAME,..."), only.c_str())                                                       //
      ("scale", value("FACTOR")->default_value("1"), "of the number of series of every measure")      //
      ("series", value("COUNT"), "of mix, multi10, latency, events and doubles, whatever the scale")  //
      ("slots", value("COUNT"), "of the same")                                                        //
      ("ticks", value("COUNT")->default_value("10"), "per slot; a series sends in one of them")       //
      ("dir", value("DIR"), "where temporary data are made; the system's place by default")           //
      ("data", value("DIR"), "real series for host: files *.csv of lines timestamp,value");
  return out;
}

po::options_description describe_common() {
  po::options_description out("all", kHelpWidth);
  out.add_options()("json", "one JSON object per line")("help", "print this");
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

// None when the option is not given.
Result<std::optional<size_t>> optional_count(const po::variables_map& values, const char* option,
                                             int64_t max) {
  if (values.count(option) == 0) return std::optional<size_t>();
  const Result<size_t> n = count(values, option, max);
  if (!n) return n.error();
  return std::optional(*n);
}

Result<double> factor(const po::variables_map& values, const char* option, double max) {
  const auto& text = values[option].as<std::string>();
  Number number;
  if (parse_number(text, number) != NumberError::kNone || number.value() <= 0 || number.value() > max) {
    return Error{ErrorCode::kInvalid, "--" + std::string(option) + ": \"" + text +
                                          "\" is not a number above 0, up to " +
                                          std::to_string(static_cast<int>(max))};
  }
  return number.value();
}

Result<std::vector<std::string>> measures(const po::variables_map& values) {
  std::vector<std::string> out;
  if (values.count("only") == 0) return out;
  const std::vector<std::string> known = storage_measures();
  for (const std::string_view name : split(values["only"].as<std::string>(), ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error{ErrorCode::kInvalid,
                   "--only: no measure \"" + std::string(name) + "\" (known: " + joined(known) + ")"};
    }
    out.emplace_back(name);
  }
  if (out.empty()) return Error{ErrorCode::kInvalid, "--only: names no measure"};
  return out;
}

Result<StorageOptions> storage_options(const po::variables_map& values) {
  auto only = measures(values);
  if (!only) return only.error();
  const Result<double> scale = factor(values, "scale", 100);
  if (!scale) return scale.error();
  const auto series = optional_count(values, "series", 10'000'000);
  if (!series) return series.error();
  const auto slots = optional_count(values, "slots", 10'000'000);
  if (!slots) return slots.error();
  const Result<size_t> ticks = count(values, "ticks", 1000);
  if (!ticks) return ticks.error();
  const auto path = [&](const char* option) {
    return std::filesystem::path(values.count(option) == 0 ? "" : values[option].as<std::string>());
  };
  return StorageOptions{.only = std::move(*only),
                        .scale = *scale,
                        .series = *series,
                        .slots = *slots,
                        .ticks = *ticks,
                        .directory = path("dir"),
                        .data = path("data")};
}

Result<Transport> parse_transport(std::string_view name) {
  if (name == "tcp") return Transport::kTcp;
  if (name == "udp") return Transport::kUdp;
  if (name == "udp_gso") return Transport::kUdpGso;
  return Error{ErrorCode::kInvalid, "--transport \"" + std::string(name) + "\" is not tcp, udp or udp_gso"};
}

Result<IngestOptions> ingest_options(const po::variables_map& values) {
  const auto series = optional_count(values, "series", 10'000'000);
  if (!series) return series.error();
  const Result<size_t> samples = count(values, "samples", 1'000'000'000);
  if (!samples) return samples.error();
  const Result<size_t> connections = count(values, "connections", 1000);
  if (!connections) return connections.error();
  const Result<Transport> transport = parse_transport(values["transport"].as<std::string>());
  if (!transport) return transport.error();
  const Result<bool> is_shuffled = choose(values, "order", "index", "random");
  if (!is_shuffled) return is_shuffled.error();
  const Result<bool> has_times = choose(values, "times", "none", "step");
  if (!has_times) return has_times.error();
  return IngestOptions{.series = series->value_or(IngestOptions().series),
                       .samples = *samples,
                       .connections = *connections,
                       .transport = *transport,
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

// Reads the arguments by what one suite takes. Boost's parser throws; it stops here.
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
  text << kUsage << describe_ingest() << "\n" << describe_storage() << "\n" << describe_common();
  return text.str();
}

Result<Suite> suite_of(std::span<const std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) {
    return Error{ErrorCode::kInvalid, "no suite is named; see --help"};
  }
  const std::string& suite = arguments.front();
  if (suite == "ingest") return Suite::kIngest;
  if (suite == "storage") return Suite::kStorage;
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
  const bool is_ingest = out.suite == Suite::kIngest;
  const auto values = read_arguments(arguments, is_ingest ? describe_ingest() : describe_storage());
  if (!values) return values.error();
  out.is_json = values->count("json") != 0;
  if (!is_ingest) {
    Result<StorageOptions> storage = storage_options(*values);
    if (!storage) return storage.error();
    out.storage = std::move(*storage);
    return out;
  }
  const Result<IngestOptions> ingest = ingest_options(*values);
  if (!ingest) return ingest.error();
  out.ingest = *ingest;
  Result<std::optional<ServerAddress>> server = server_address(*values);
  if (!server) return server.error();
  out.server = std::move(*server);
  return out;
}

}  // namespace statmill
