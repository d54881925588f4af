#include "tools/statmill-bench/option_values.h"

namespace statmill {

po::options_description describe_relay() {
  po::options_description out("relay; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(relay_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("series", text_value("COUNT")->default_value("10000"), "number of series, 100 per host")(
          "samples", text_value("COUNT")->default_value("5000000"), "number of samples per measure")  //
      ("rate", text_value("COUNT")->default_value("500000"), "samples per second");
  return out;
}

Result<RelayBenchOptions> relay_options(const po::variables_map& values) {
  auto only = measures_asked(values, relay_measures(), pick_measures);
  if (!only) return only.error();
  const Result<size_t> series = count(values, "series", {.max = 10'000'000});
  if (!series) return series.error();
  const Result<size_t> samples = count(values, "samples", {.max = 10'000'000'000});
  if (!samples) return samples.error();
  const Result<size_t> rate = count(values, "rate", {.max = 100'000'000});
  if (!rate) return rate.error();
  return RelayBenchOptions{.only = std::move(*only), .series = *series, .samples = *samples, .rate = *rate};
}

}  // namespace statmill
