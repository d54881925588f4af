// QueryFigure: one request of the suite `query`, what its answer must be, and how its time is measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/query_answer.h"
#include "tools/statmill-bench/query_data.h"
#include "tools/statmill-bench/query_server.h"
#include "tools/statmill-bench/query_suite.h"
#include "tools/statmill/client.h"

namespace statmill {

enum class QueryTiming : uint8_t { kWarm, kWarmAndCold, kPipelined };

struct QueryFigure {
  std::string name;  // "avg100.10s"
  std::string path;  // of statmill's own API; or after QueryServer::api(), if it begins with no slash
  UrlParameters parameters;
  AnswerShape want;
  double tolerance = 1e-9;  // of the sum
  QueryTiming timing = QueryTiming::kWarm;
  bool has_peers = true;         // if the path is of Prometheus' API
  double peer_tolerance = 0.05;  // a peer extrapolates rates

  bool is_own() const { return path.starts_with('/'); }
  bool is_of_peers() const { return has_peers && !is_own(); }
};

struct QueryContext {
  const QueryBenchOptions& options;
  const std::filesystem::path& server_program;
  int64_t now_s = 0;
};

// Stores the samples in a statmilld, and in the peers if a figure has any, and measures each figure there. A
// figure NAME gives, for a peer with its name before NAME,
//   query.NAME_ms      median of the time from the request to the last byte of the answer, over one kept
//                      connection; the request was answered before, so it is warm
//   query.NAME_p99_ms  the 99th percentile
//   query.NAME_cpu_ms  CPU time of the server per request
// With kWarmAndCold these are query.NAME.warm_ms, ..., and query.NAME.cold_ms is the median time of the first
// request after the server has started again, on the same data, with empty caches of its own (files are in
// the system's page cache). With kPipelined it gives the figures of measure_pipelined(). Errors: kCorrupt if
// an answer is not what it should be.
Measured measure_figures(const QueryContext& context, const QueryData& data,
                         const std::vector<QueryFigure>& figures, bool is_pending = false);

// Returns the path and the parameters of its request, encoded. `api`: see QueryServer::api().
std::string target_of(const QueryFigure& figure, std::string_view api);

// Prints a line such as "query: avg100: 100 series x 8640 slots" to standard error.
void say_query(std::string_view measure, const std::string& what);

}  // namespace statmill
