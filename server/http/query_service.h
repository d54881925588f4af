// QueryService: what all queries share: threads, limits, memory, metrics, the list of those that run, and the
// log of slow ones.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "server/http/query_board.h"
#include "server/http/query_options.h"
#include "server/http/query_pool.h"
#include "server/query/query_control.h"
#include "statmill/registry.h"

namespace statmill {

// Thread-safe.
class QueryService {
 public:
  struct Services {  // all must outlive it
    Registry& registry;
    const Clock& clock;
    Log* log;  // nullptr: slow queries are not logged
  };
  QueryService(const QueryOptions& options, const Services& services);

  QueryPool& pool() { return pool_; }
  QueryBoard& board() { return board_; }
  QueryMemory& memory() { return memory_; }
  const QueryLimits& limits() const { return options_.limits; }
  const Clock& clock() const { return services_.clock; }

  // A query that has ended.
  struct Ended {
    std::string_view endpoint;  // the path of its route
    std::string_view text;
    std::string_view client;
    unsigned status;
  };
  // Counts the query, and logs it if it was slow.
  void account(const Ended& ended, const QueryControl& control);
  // Counts what stopped the query, if anything did. account() does it, too.
  void count_stopped(const QueryControl& control);
  // Counts a query that found no thread in time.
  void count_busy() { busy_.add(); }

 private:
  static constexpr size_t kStopCount = 5;  // values of QueryStop

  const QueryOptions options_;
  const Services services_;
  QueryMemory memory_;
  QueryBoard board_;
  Counter& slots_;
  Counter& chunks_;
  Counter& cached_;
  Counter& slow_;
  Counter& busy_;
  std::array<Counter*, kQueryLimitCount> refused_;
  std::array<Counter*, kStopCount> stopped_;  // without kNone
  LogLimiter slow_lines_{std::chrono::milliseconds(100)};
  QueryPool pool_;  // last: its threads use the others
};

}  // namespace statmill
