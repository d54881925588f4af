#include "tools/statmill-bench/option_values.h"

namespace statmill {

po::options_description describe_bpf() {
  po::options_description out("bpf; needs root; all measures take a minute", kHelpWidth);
  out.add_options()                                                                                  //
      ("operations", text_value("COUNT")->default_value("200000"), "number of operations per load")  //
      ("runs", text_value("COUNT")->default_value("5"),
       "runs of the ping-pong, with and without the agent")  //
      ("idle", text_value("SECONDS")->default_value("20"), "time over which the idle agent is measured");
  return out;
}

Result<BpfOptions> bpf_options(const po::variables_map& values) {
  const Result<size_t> operations = count(values, "operations", {.min = 100, .max = 1'000'000'000});
  if (!operations) return operations.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1000});
  if (!runs) return runs.error();
  const Result<size_t> idle = count(values, "idle", {.max = 3600});
  if (!idle) return idle.error();
  return BpfOptions{.operations = *operations, .runs = *runs, .idle_s = *idle};
}

}  // namespace statmill
