#include "tools/statmill-bench/query_suite.h"

#include "base/clock.h"
#include "tools/statmill-bench/query_measures.h"
#include "tools/statmill-bench/query_peer.h"
#include "tools/statmill-bench/suites.h"

namespace statmill {
namespace {

std::vector<Measure<QueryContext>> make_query_measures() {
  return {{"one24h", measure_one24h},         {"avg100", measure_avg100},
          {"sumrate10k", measure_sumrate10k}, {"p99_100dist", measure_p99_100dist},
          {"last1000", measure_last1000},     {"small", measure_small},
          {"year5m", measure_year5m},         {"pending24h", measure_pending24h},
          {"find1m", measure_find1m},         {"select1m", measure_select1m},
          {"small_busy", measure_small_busy}, {"ingest_busy", measure_ingest_busy}};
}

}  // namespace

po::options_description describe_query() {
  po::options_description out("query; all measures take some minutes and 2 GB of RAM", kHelpWidth);
  const std::string only = "runs only these measures: " + joined(query_measures());
  const std::string peers =
      "asks these the same, where they are installed: all, none, or some of " + joined(query_peers());
  out.add_options()                                   //
      ("only", text_value("NAME,..."), only.c_str())  //
      ("scale", text_value("FACTOR")->default_value("1"),
       "multiplies the number of series of every measure, and the days of the year")               //
      ("runs", text_value("COUNT")->default_value("200"), "requests per figure")                   //
      ("starts", text_value("COUNT")->default_value("9"), "starts of the server per cold figure")  //
      ("peers", text_value("NAME,...")->default_value("all"), peers.c_str())                       //
      ("dir", text_value("DIR"), "directory for temporary data; the system's by default");
  return out;
}

Result<QueryBenchOptions> query_options(const po::variables_map& values) {
  auto only = measures_asked(values, query_measures());
  if (!only) return only.error();
  const Result<double> scale = factor(values, "scale", 100);
  if (!scale) return scale.error();
  const Result<size_t> runs = count(values, "runs", {.max = 1'000'000});
  if (!runs) return runs.error();
  const Result<size_t> starts = count(values, "starts", {.max = 1000});
  if (!starts) return starts.error();
  auto peers = peers_asked(values, query_peers());
  if (!peers) return peers.error();
  QueryBenchOptions out{.only = std::move(*only),
                        .scale = *scale,
                        .runs = *runs,
                        .starts = *starts,
                        .peers = std::move(*peers)};
  if (values.count("dir") != 0) out.directory = values["dir"].as<std::string>();
  return out;
}

std::vector<std::string> query_measures() { return names_of(make_query_measures()); }

Result<std::vector<Measurement>> run_query(const QueryBenchOptions& options,
                                           const std::filesystem::path& programs) {
  const std::filesystem::path server_program = programs / "statmilld";
  const QueryContext context{options, server_program, unix_seconds(SystemClock().wall())};
  return run_measures(make_query_measures(), options.only, context);
}

}  // namespace statmill
