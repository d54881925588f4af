// Requests at a fixed rate, whether or not the answers come in time. The time of an answer counts from the
// instant at which its request was due, so a server that makes one request wait makes all that follow wait.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "tools/statmill-bench/asked_query.h"

namespace statmill {

struct OpenLoopOptions {
  Endpoint server;
  const AskedQuery& asked;  // must outlive the call
  double per_s = 1;
  size_t requests = 1;
  size_t connections = 8;  // a request uses a free one, and waits if there is none
};

struct OpenLoopTimes {
  // In the order in which the requests were due, if there is one connection.
  std::vector<double> answered_ms;  // from the instant at which the request was due to its answer
  std::vector<double> late_ms;      // to the instant at which it was really sent
};

// The threads that send have real-time priority if the process may have it: the clients of a server do not
// compete with it for its processors. Errors: those of the connections; kCorrupt for another answer.
Result<OpenLoopTimes> run_open_loop(const OpenLoopOptions& options);

}  // namespace statmill
