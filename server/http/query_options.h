// QueryOptions: the settings --query.*.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"
#include "server/query/query_limits.h"

namespace statmill {

struct QueryPoolOptions {
  size_t threads = 0;                                   // per lane; 0: half of the CPUs, at least 1
  size_t waiting_max = 64;                              // queries that wait for a thread, in each lane
  Duration waiting_timeout = std::chrono::seconds(10);  // how long they wait

  // Returns `threads`, or what 0 stands for on this machine.
  size_t thread_count() const;
};

struct QueryOptions {
  QueryLimits limits;
  QueryPoolOptions pool;
  size_t cache_bytes = size_t{128} << 20;   // memory for decoded chunks; 0: none are kept
  Duration slow = std::chrono::seconds(1);  // a query that takes longer is logged
  size_t slowest_max = 100;                 // queries of the last day that /api/v1/status/queries lists
};

}  // namespace statmill
