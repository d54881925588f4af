#include "tools/statmill-bench/option_values.h"

namespace statmill {

po::options_description describe_counters() {
  po::options_description out("counters; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(counters_measures());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("operations", text_value("COUNT")->default_value("4000000"),
       "number of operations per run, all threads together")  //
      ("runs", text_value("COUNT")->default_value("5"), "runs per measure, in turn; the medians are printed");
  return out;
}

Result<CountersOptions> counters_options(const po::variables_map& values) {
  auto only = measures_asked(values, counters_measures(), pick_measures);
  if (!only) return only.error();
  const Result<size_t> operations = count(values, "operations", {.min = 1000, .max = 10'000'000'000});
  if (!operations) return operations.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  return CountersOptions{.only = std::move(*only), .operations = *operations, .runs = *runs};
}

}  // namespace statmill
