#include "tools/statmill-bench/ingest_suite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/check.h"
#include "tools/statmill-bench/ingest_measures.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

// How lines arrive, as the names of measures contain it.
struct IngestPath {
  std::string_view name;
  LineDialect dialect;
  Transport transport;
};
constexpr std::array<IngestPath, 7> kIngestPaths = {
    {{"tcp", LineDialect::kIstatd, Transport::kTcp},
     {"udp", LineDialect::kIstatd, Transport::kUdp},
     {"udp_gso", LineDialect::kIstatd, Transport::kUdpGso},
     {"graphite", LineDialect::kGraphite, Transport::kTcp},
     {"statsd", LineDialect::kStatsd, Transport::kTcp},
     {"influx", LineDialect::kInflux, Transport::kTcp},
     {"distribution", LineDialect::kDistribution, Transport::kTcp}}};

// Samples: several seconds at millions per second, hence several ticks.
struct IngestSize {
  std::string_view name;
  size_t series;
  bool is_shuffled;
  size_t live_samples;
  size_t backfill_samples;
};
constexpr std::array<IngestSize, 4> kIngestSizes = {{{"10k", 10'000, false, 20'000'000, 10'000'000},
                                                     {"100k", 100'000, false, 20'000'000, 10'000'000},
                                                     {"1m", 1'000'000, false, 10'000'000, 10'000'000},
                                                     {"1m_random", 1'000'000, true, 10'000'000, 10'000'000}}};

constexpr std::string_view kLive = "live";
constexpr std::string_view kBackfill = "backfill";
constexpr size_t kPassesMin = 4;
// Datagrams at full speed are lost. At this rate none should be.
constexpr uint64_t kDatagramRate = 2'000'000;

Measured measure_run(const std::string& name, const IngestRun& run, const IngestContext& context) {
  say_ingest(name, std::to_string(run.series) + " series x " + std::to_string(run.passes()) + " passes" +
                       (run.rate == 0 ? "" : ", " + std::to_string(run.rate) + " samples/s"));
  const auto server =
      ServerProcess::start(server_for(run.dialect, context.server_program, context.options.directory));
  if (!server) return server.error();
  const Result<IngestCosts> costs = measure_ingest(*server, run, SystemClock().wall());
  if (!costs) return costs.error();
  return ingest_measurements(name, *costs);
}

std::vector<Measure<IngestContext>> make_ingest_measures() {
  std::vector<Measure<IngestContext>> out;
  for (const IngestPath& path : kIngestPaths) {
    for (const std::string_view times : {kLive, kBackfill}) {
      for (const IngestSize& size : kIngestSizes) {
        std::string name(path.name);
        name.append(".").append(times).append(".").append(size.name);
        out.push_back({name, [name](const IngestContext& context) {
                         return measure_run(name, ingest_measure_run(name, context.options), context);
                       }});
      }
    }
  }
  out.push_back({"new_series", measure_new_series});
  out.push_back({"query_p99_ms", measure_queries});
  out.push_back({"stall_ms", measure_stall});
  return out;
}

Measured run_alone(const IngestOptions& options, const std::filesystem::path& program) {
  const IngestRun& run = *options.run;
  const auto server = options.server
                          ? ServerProcess::running(*options.server)
                          : ServerProcess::start(server_for(run.dialect, program, options.directory));
  if (!server) return server.error();
  const Result<IngestCosts> costs = measure_ingest(*server, run, SystemClock().wall());
  if (!costs) return costs.error();
  return run_measurements(run, *costs);
}

// The options of a single run. The measures of the suite have fixed values.
constexpr std::array<const char*, 9> kRunOptions = {"line",   "http",    "pid",   "dialect", "transport",
                                                    "series", "samples", "order", "times"};

const char* first_given(const po::variables_map& values) {
  const auto is_given = [&](const char* option) {
    return values.count(option) != 0 && !values[option].defaulted();
  };
  const auto found = std::find_if(kRunOptions.begin(), kRunOptions.end(), is_given);
  return found == kRunOptions.end() ? nullptr : *found;
}

Result<IngestRun> ingest_run(const po::variables_map& values) {
  const Result<size_t> dialect =
      choice(values, "dialect", {"istatd", "graphite", "statsd", "influx", "distribution"});
  if (!dialect) return dialect.error();
  const Result<size_t> transport = choice(values, "transport", {"tcp", "udp", "udp_gso"});
  if (!transport) return transport.error();
  const Result<size_t> series = count(values, "series", {.max = 10'000'000});
  if (!series) return series.error();
  const Result<size_t> samples = count(values, "samples", {.max = 1'000'000'000});
  if (!samples) return samples.error();
  const Result<size_t> order = choice(values, "order", {"index", "random"});
  if (!order) return order.error();
  const Result<size_t> times = choice(values, "times", {"none", "step"});
  if (!times) return times.error();
  return IngestRun{.dialect = static_cast<LineDialect>(*dialect),
                   .transport = static_cast<Transport>(*transport),
                   .series = *series,
                   .samples = *samples,
                   .is_shuffled = *order != 0,
                   .has_times = *times != 0};
}

Result<std::optional<ServerAddress>> server_address(const po::variables_map& values) {
  const size_t given = values.count("line") + values.count("pid");
  if (given == 0 && values.count("http") == 0) return std::optional<ServerAddress>();
  if (given < 2)
    return Error{ErrorCode::kInvalid, "--line and --pid require each other, and --http requires both"};
  Result<Endpoint> line = parse_endpoint(values["line"].as<std::string>());
  if (!line) return Error(line.error()).with("--line");
  const Result<size_t> pid = count(values, "pid", {.max = std::numeric_limits<pid_t>::max()});
  if (!pid) return pid.error();
  const std::string url = values.count("http") == 0 ? "" : values["http"].as<std::string>();
  return std::optional(ServerAddress{.line = std::move(*line), .url = url, .pid = static_cast<pid_t>(*pid)});
}

}  // namespace

po::options_description describe_ingest() {
  po::options_description suite("ingest; all measures take 10 to 20 minutes, 2 GB of RAM, 1 GB of disk",
                                kHelpWidth);
  const std::string only =
      "runs only these measures, or those that start with NAME: TRANSPORT.TIMES.SIZE (tcp, udp, udp_gso, "
      "graphite, statsd, influx, distribution; live, backfill; 10k, 100k, 1m, 1m_random), new_series, "
      "query_p99_ms, "
      "stall_ms";
  suite.add_options()                                 //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("scale", text_value("FACTOR")->default_value("1"),
       "multiplies the number of samples of every measure")  //
      ("connections", text_value("COUNT")->default_value("1"),
       "number of connections, each with its own sender")  //
      ("rate", text_value("COUNT"),
       "samples per second, 0: as fast as possible; 0 by default, but 2000000 for UDP in the suite")  //
      ("dir", text_value("DIR"), "directory for temporary data; the system's by default");
  po::options_description run("any of these options selects a single run instead of the suite", kHelpWidth);
  run.add_options()  //
      ("dialect", text_value("NAME")->default_value("istatd"),
       "istatd, graphite, statsd, influx, or distribution (istatd lines that start with %)")     //
      ("transport", text_value("NAME")->default_value("tcp"), "tcp, udp or udp_gso")             //
      ("series", text_value("COUNT")->default_value("10000"), "number of series, 100 per host")  //
      ("samples", text_value("COUNT")->default_value("2000000"),
       "number of samples, in whole passes over all series, at least 2 passes")  //
      ("order", text_value("NAME")->default_value("index"),
       "order of the series within a pass: index or random")  //
      ("times", text_value("NAME")->default_value("none"),
       "none: live; step: a backfill, 10 s later with each pass")  //
      ("line", text_value("HOST:PORT"),
       "port of a running server for lines of the dialect; without it a server is started")  //
      ("pid", text_value("PID"), "process id of that server, to measure CPU and memory")     //
      ("http", text_value("URL"),
       "where that server reports the samples it has accepted; without it any server will do: nothing is "
       "verified, and a run ends when the process has used at most 3 % of a core for 2 s");
  return suite.add(run);
}

Result<IngestOptions> ingest_options(const po::variables_map& values) {
  IngestOptions out;
  auto only = measures_asked(values, ingest_measures());
  if (!only) return only.error();
  out.only = std::move(*only);
  const Result<double> scale = factor(values, "scale", 100);
  if (!scale) return scale.error();
  out.scale = *scale;
  const Result<size_t> connections = count(values, "connections", {.max = 1000});
  if (!connections) return connections.error();
  out.connections = *connections;
  const auto rate = optional_count(values, "rate", {.min = 0, .max = 1'000'000'000});
  if (!rate) return rate.error();
  if (*rate) out.rate = **rate;
  if (values.count("dir") != 0) out.directory = values["dir"].as<std::string>();

  const char* const given = first_given(values);
  if (given == nullptr) return out;
  for (const char* option : {"only", "scale"}) {
    if (values.count(option) == 0 || values[option].defaulted()) continue;
    return Error{ErrorCode::kInvalid, "--" + std::string(given) + " selects a single run; --" + option +
                                          " applies only to the suite"};
  }
  const Result<IngestRun> run = ingest_run(values);
  if (!run) return run.error();
  out.run = *run;
  out.run->connections = out.connections;
  out.run->rate = out.rate.value_or(0);
  Result<std::optional<ServerAddress>> server = server_address(values);
  if (!server) return server.error();
  out.server = std::move(*server);
  return out;
}

std::vector<std::string> ingest_measures() { return names_of(make_ingest_measures()); }

IngestRun ingest_measure_run(std::string_view measure, const IngestOptions& options) {
  const std::vector<std::string_view> words = split(measure, '.');
  SM_CHECK(words.size() == 3);
  const auto by_name = [](std::string_view name) { return [name](const auto& x) { return x.name == name; }; };
  const auto path = std::find_if(kIngestPaths.begin(), kIngestPaths.end(), by_name(words[0]));
  const auto size = std::find_if(kIngestSizes.begin(), kIngestSizes.end(), by_name(words[2]));
  SM_CHECK(path != kIngestPaths.end() && size != kIngestSizes.end());
  IngestRun run{.dialect = path->dialect,
                .transport = path->transport,
                .series = size->series,
                .connections = options.connections,
                .is_shuffled = size->is_shuffled,
                .has_times = words[1] == kBackfill};
  const size_t samples = run.has_times ? size->backfill_samples : size->live_samples;
  run.samples = scaled(samples, options.scale, kPassesMin);
  run.series = std::min(run.series, run.samples / kPassesMin);
  run.rate = options.rate.value_or(run.transport == Transport::kTcp ? 0 : kDatagramRate);
  return run;
}

Result<std::vector<Measurement>> run_ingest(const IngestOptions& options,
                                            const std::filesystem::path& programs) {
  const std::filesystem::path server_program = programs / "statmilld";
  if (options.run) return run_alone(options, server_program);
  return run_measures(make_ingest_measures(), options.only, IngestContext{options, server_program});
}

size_t scaled(size_t n, double scale, size_t min) {
  return std::max(min, static_cast<size_t>(std::llround(static_cast<double>(n) * scale)));
}

void say_ingest(std::string_view measure, const std::string& what) {
  std::fprintf(stderr, "ingest: %.*s: %s\n", static_cast<int>(measure.size()), measure.data(), what.c_str());
}

}  // namespace statmill
