#include "tools/statmill-bench/ingest_suite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/check.h"
#include "tools/statmill-bench/ingest_measures.h"

namespace statmill {
namespace {

// The transports, as the names of measures contain them.
struct Road {
  std::string_view name;
  LineDialect dialect;
  Transport transport;
};
constexpr std::array<Road, 6> kRoads = {{{"tcp", LineDialect::kIstatd, Transport::kTcp},
                                         {"udp", LineDialect::kIstatd, Transport::kUdp},
                                         {"udp_gso", LineDialect::kIstatd, Transport::kUdpGso},
                                         {"graphite", LineDialect::kGraphite, Transport::kTcp},
                                         {"statsd", LineDialect::kStatsd, Transport::kTcp},
                                         {"distribution", LineDialect::kDistribution, Transport::kTcp}}};

// Samples: several seconds at millions per second, hence several ticks.
struct Size {
  std::string_view name;
  size_t series;
  bool is_shuffled;
  size_t live_samples;
  size_t backfill_samples;
};
constexpr std::array<Size, 4> kSizes = {{{"10k", 10'000, false, 20'000'000, 10'000'000},
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

std::vector<Measure<IngestContext>> measures() {
  std::vector<Measure<IngestContext>> out;
  for (const Road& road : kRoads) {
    for (const std::string_view times : {kLive, kBackfill}) {
      for (const Size& size : kSizes) {
        std::string name(road.name);
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

Measured run_alone(const IngestOptions& options, const std::filesystem::path& program, Timestamp now) {
  const IngestRun& run = *options.run;
  const auto server = options.server
                          ? ServerProcess::running(*options.server)
                          : ServerProcess::start(server_for(run.dialect, program, options.directory));
  if (!server) return server.error();
  const Result<IngestCosts> costs = measure_ingest(*server, run, now);
  if (!costs) return costs.error();
  return run_measurements(run, *costs);
}

}  // namespace

std::vector<std::string> ingest_measures() { return names_of(measures()); }

std::vector<std::string> pick_measures(const std::vector<std::string>& measures, std::string_view name) {
  std::vector<std::string> out;
  for (const std::string& measure : measures) {
    if (measure == name || measure.starts_with(std::string(name) + ".")) out.push_back(measure);
  }
  return out;
}

IngestRun ingest_measure_run(std::string_view measure, const IngestOptions& options) {
  const std::vector<std::string_view> words = split(measure, '.');
  SM_CHECK(words.size() == 3);
  const auto by_name = [](std::string_view name) { return [name](const auto& x) { return x.name == name; }; };
  const auto road = std::find_if(kRoads.begin(), kRoads.end(), by_name(words[0]));
  const auto size = std::find_if(kSizes.begin(), kSizes.end(), by_name(words[2]));
  SM_CHECK(road != kRoads.end() && size != kSizes.end());
  IngestRun run{.dialect = road->dialect,
                .transport = road->transport,
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
                                            const std::filesystem::path& server_program, Timestamp now) {
  if (options.run) return run_alone(options, server_program, now);
  return run_measures(measures(), options.only, IngestContext{options, server_program});
}

size_t scaled(size_t n, double scale, size_t min) {
  return std::max(min, static_cast<size_t>(std::llround(static_cast<double>(n) * scale)));
}

void say_ingest(std::string_view measure, const std::string& what) {
  std::fprintf(stderr, "ingest: %.*s: %s\n", static_cast<int>(measure.size()), measure.data(), what.c_str());
}

}  // namespace statmill
