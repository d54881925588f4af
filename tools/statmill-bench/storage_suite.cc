#include "tools/statmill-bench/storage_suite.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/check.h"
#include "tools/statmill-bench/storage_measures.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

std::vector<Measure<MeasureContext>> make_storage_measures() {
  std::vector<Measure<MeasureContext>> out;
  for (const StorageWorkload workload : kStorageWorkloads) {
    out.push_back({std::string(workload_name(workload)),
                   [workload](const MeasureContext& context) { return measure_writing(workload, context); }});
  }
  const auto recovery = [](const char* name, size_t series) {
    return Measure<MeasureContext>{name, [name, series](const MeasureContext& context) {
                                     return measure_recovery(name, series, context);
                                   }};
  };
  out.push_back({"seconds", measure_seconds});
  out.push_back({"rollup", measure_rollup});
  out.push_back({"histograms", measure_histograms});
  out.push_back({"read24h", measure_read24h});
  out.push_back({"read1y_avg", measure_read1y});
  out.push_back({"host", measure_host});
  out.push_back({"ram_per_series_1m", measure_ram});
  out.push_back({"ram_per_idle_series_1m", measure_idle_ram});
  out.push_back(recovery("recovery_100k", 100'000));
  out.push_back(recovery("recovery_1m", 1'000'000));
  out.push_back({"start_clean", measure_clean_start});
  return out;
}

}  // namespace

po::options_description describe_storage() {
  po::options_description out("storage; all measures take 7 minutes, 6 GB of RAM, 2 GB of disk", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(storage_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("scale", text_value("FACTOR")->default_value("1"),
       "multiplies the number of series of every measure")  //
      ("series", text_value("COUNT"),
       "number of series of mix, multi10, latency, events and doubles; overrides --scale")  //
      ("slots", text_value("COUNT"), "number of slots of the same measures")                //
      ("ticks", text_value("COUNT")->default_value("10"),
       "number of ticks per slot; a series sends in one of them")                          //
      ("dir", text_value("DIR"), "directory for temporary data; the system's by default")  //
      ("data", text_value("DIR"),
       "directory with real series for the measure host: files *.csv with lines timestamp,value");
  return out;
}

Result<StorageOptions> storage_options(const po::variables_map& values) {
  auto only = measures_asked(values, storage_measures());
  if (!only) return only.error();
  const Result<double> scale = factor(values, "scale", 100);
  if (!scale) return scale.error();
  const auto series = optional_count(values, "series", {.max = 10'000'000});
  if (!series) return series.error();
  const auto slots = optional_count(values, "slots", {.max = 10'000'000});
  if (!slots) return slots.error();
  const Result<size_t> ticks = count(values, "ticks", {.max = 1000});
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

std::vector<std::string> storage_measures() { return names_of(make_storage_measures()); }

Result<std::vector<Measurement>> run_storage(const StorageOptions& options,
                                             const std::filesystem::path& programs) {
  const std::filesystem::path server_program = programs / "statmilld";
  const MeasureContext context{options, server_program, SystemClock().wall()};
  return run_measures(make_storage_measures(), options.only, context);
}

Tiers bench_tiers() {
  const Result<Tiers> tiers = Tiers::parse("10s:10d,5m:1y,1h:6y");
  SM_CHECK(tiers.has_value());
  return *tiers;
}

Result<ScratchStore> make_scratch_store(const MeasureContext& context) {
  Result<ScratchDirectory> directory = ScratchDirectory::make(context.options.directory);
  if (!directory) return directory.error();
  Result<BenchStore> store = BenchStore::open(directory->path() / "store", bench_tiers());
  if (!store) return store.error();
  return ScratchStore{std::move(*directory), std::move(*store)};
}

size_t scaled_series(size_t series, const StorageOptions& options) {
  const auto scaled = static_cast<size_t>(std::llround(static_cast<double>(series) * options.scale));
  return std::max<size_t>(1, scaled);
}

std::chrono::nanoseconds process_cpu() {
  timespec time{};
  SM_CHECK(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void say(std::string_view measure, const std::string& what) {
  std::fprintf(stderr, "storage: %.*s: %s\n", static_cast<int>(measure.size()), measure.data(), what.c_str());
}

}  // namespace statmill
