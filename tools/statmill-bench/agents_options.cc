#include "tools/statmill-bench/option_values.h"

namespace statmill {

po::options_description describe_agents() {
  po::options_description out("agents; all measures take a minute", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(agents_measures());
  out.add_options()                                                                                        //
      ("only", text_value("NAME,..."), only.c_str())                                                       //
      ("agents", text_value("COUNT")->default_value("4"), "number of agents, connected at the same time")  //
      ("series", text_value("COUNT")->default_value("10000"), "number of series, 100 per host")            //
      ("samples", text_value("COUNT")->default_value("20000000"),
       "number of samples for throughput; latency sends an eighth")                              //
      ("rate", text_value("COUNT")->default_value("200000"), "samples per second, for latency")  //
      ("spool", text_value("BYTES")->default_value("1073741824"), "size of the spool that is recovered");
  return out;
}

Result<AgentsBenchOptions> agents_options(const po::variables_map& values) {
  auto only = measures_asked(values, agents_measures(), pick_measures);
  if (!only) return only.error();
  AgentsBenchOptions out{.only = std::move(*only)};
  const auto read = [&values](const char* option, int64_t max, auto& value) -> Status {
    const Result<size_t> number = count(values, option, {.max = max});
    if (!number) return number.error();
    value = *number;
    return Status::ok();
  };
  if (Status s = read("agents", 1000, out.agents); !s) return s.error();
  if (Status s = read("series", 10'000'000, out.series); !s) return s.error();
  if (Status s = read("samples", 10'000'000'000, out.samples); !s) return s.error();
  if (Status s = read("rate", 100'000'000, out.rate); !s) return s.error();
  if (Status s = read("spool", int64_t{1} << 40, out.spool_bytes); !s) return s.error();
  return out;
}

}  // namespace statmill
