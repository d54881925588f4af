// How many requests a second one processor answers, if they come one right after the other.
#pragma once

#include <cstddef>
#include <string>

#include "tools/statmill-bench/asked_query.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/query_server.h"

namespace statmill {

// Starts the server again on one processor, and sends requests from another, many at once over one
// connection. It gives NAME_per_s, the median over `runs` parts of the time, and NAME_cpu_us, the CPU time of
// the server per request. Errors: those of the server; kCorrupt if an answer is another one.
Measured measure_pipelined(QueryServer& server, const AskedQuery& asked, size_t runs,
                           const std::string& name);

}  // namespace statmill
