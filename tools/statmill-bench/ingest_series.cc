// The measure new_series: the cost of creating a million series, and their memory.
#include "tools/statmill-bench/ingest_measures.h"

namespace statmill {

Measured measure_new_series(const IngestContext& context) {
  constexpr size_t kSeries = 1'000'000;
  constexpr size_t kPasses = 3;
  const IngestOptions& options = context.options;
  IngestRun run{.series = scaled(kSeries, options.scale, 1), .connections = options.connections};
  run.samples = run.series * kPasses;
  say_ingest("new_series", std::to_string(run.series) + " series x " + std::to_string(run.passes()) +
                               " passes by TCP lines");
  const auto server =
      ServerProcess::start(server_for(run.dialect, context.server_program, options.directory));
  if (!server) return server.error();
  const Result<IngestCosts> costs = measure_ingest(*server, run, SystemClock().wall());
  if (!costs) return costs.error();
  if (Status s = server->wait_until_memory_is_returned(); !s) return s.error();
  const Result<uint64_t> resident = server->meter().resident_bytes();
  if (!resident) return resident.error();

  const Cost& creating = costs->creating;
  const auto n = static_cast<double>(run.series);
  return std::vector<Measurement>{
      {"ingest.new_series_per_s", n / std::chrono::duration<double>(creating.elapsed).count(), "1/s",
       run.series},
      {"ingest.cpu_us_per_new_series", std::chrono::duration<double, std::micro>(creating.cpu).count() / n,
       "us", run.series},
      {"ingest.rss_per_series_1m", static_cast<double>(*resident) / n, "B", run.series},
  };
}

}  // namespace statmill
