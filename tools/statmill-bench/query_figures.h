// QueryFigure: one request of the suite `query`, what its answer must be, and how its time is measured.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/query_answer.h"
#include "tools/statmill-bench/query_data.h"
#include "tools/statmill-bench/query_server.h"
#include "tools/statmill-bench/query_suite.h"
#include "tools/statmill/client.h"

namespace statmill {

struct QueryFigure {
  std::string name;  // "avg100.10s"
  std::string path;  // of statmill's own API; or after QueryServer::api(), if it begins with no slash
  UrlParameters parameters;
  AnswerShape want;
  double tolerance = 1e-9;       // of the sum
  bool has_cold = false;         // the figures are warm_ms and cold_ms
  double peer_tolerance = 0.05;  // a peer extrapolates rates

  bool is_own() const { return path.starts_with('/'); }
};

struct QueryContext {
  const QueryBenchOptions& options;
  const std::filesystem::path& server_program;
  int64_t now_s = 0;
};

// Stores the samples in each server, and measures each figure there. A figure NAME gives
//   query.NAME_ms      median of the time from the request to the last byte of the answer, over one kept
//                      connection; the request was answered before, so it is warm
//   query.NAME_p99_ms  the 99th percentile
//   query.NAME_cpu_ms  CPU time of the server per request
// and, if it has them, query.NAME.cold_ms: the median time of the first request after the server has started
// again, on the same data, with empty caches of its own (files are in the system's page cache); the others
// are query.NAME.warm_ms, ... then. Errors: kCorrupt if an answer is not what it should be.
Measured measure_figures(const QueryContext& context, const QueryData& data,
                         const std::vector<QueryFigure>& figures, bool is_pending = false);

// Prints a line such as "query: avg100: 100 series x 8640 slots" to standard error.
void say_query(std::string_view measure, const std::string& what);

}  // namespace statmill
