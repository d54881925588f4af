// How many requests a second one processor answers, if they come one right after the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/query_answer.h"
#include "tools/statmill-bench/query_server.h"

namespace statmill {

// A request whose answer is known.
struct AskedQuery {
  std::string target;
  AnswerShape want;
  double tolerance = 0;     // of its sum
  std::string answer = {};  // its lasting part, when it was asked first

  // Errors: kCorrupt if it is another answer. The last digits may differ: some servers add in any order.
  Status check(std::string_view body) const;
};

// Starts the server again on one processor, and sends requests from another, many at once over one
// connection. It gives NAME_per_s, the median over `runs` parts of the time, and NAME_cpu_us, the CPU time of
// the server per request. Errors: those of the server; kCorrupt if an answer is another one.
Measured measure_pipelined(QueryServer& server, const AskedQuery& asked, size_t runs,
                           const std::string& name);

}  // namespace statmill
