#include "tools/statmill-bench/ingest_suite.h"
#include "tools/statmill-bench/option_values.h"

namespace statmill {

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
  auto only = measures_asked(values, storage_measures(), pick_measures);
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

}  // namespace statmill
