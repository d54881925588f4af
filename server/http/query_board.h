// QueryBoard: the queries that run, and the slowest of the last day (GET /api/v1/status/queries).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "server/query/query_control.h"

namespace statmill {

inline constexpr size_t kQueryTextBytes = 1024;  // a longer text is cut to this length

// Thread-safe.
class QueryBoard {
 public:
  // Keeps at most `slowest_max` of the queries that have ended.
  QueryBoard(const Clock& clock, size_t slowest_max) : clock_(clock), slowest_max_(slowest_max) {}

  // Lists a query until remove(). Returns its number. `control` must live until then.
  uint64_t add(std::string_view text, std::string_view client, QueryControl& control);
  // Removes a query, and keeps it if it is among the slowest. `status` is that of its answer;
  // 0: it never ran, so it is not kept. Does nothing if there is no query with this number.
  void remove(uint64_t id, unsigned status);
  // Cancels a query. Returns false if there is none with this number.
  bool cancel(uint64_t id);
  // Stops all listed queries, those that wait for a thread included.
  void stop_all(QueryStop reason);

  // The query that has gone on for the longest time after it was stopped or its time was up; 0: none has.
  struct Overdue {
    uint64_t id = 0;
    std::chrono::nanoseconds time{0};
  };
  Overdue most_overdue(SteadyTime now) const;

  // {"running":[{"id":7,"query":"/api/v1/query?series=cpu","client":"10.0.0.7:40122","age_ms":12.5,
  // "cost":{...}}],"slowest":[{"time":1700000000,"query":"...","client":"...","status":200,"cost":{...}}]}
  // and a line end: the running ones by age, the slowest ones by their time, both descending.
  std::string json() const;

 private:
  struct Running {
    std::string text;
    std::string client;
    SteadyTime since;
    QueryControl* control;
  };
  struct Ended {
    Timestamp time;  // when the query ended
    std::string text;
    std::string client;
    unsigned status;
    QueryCost cost;
  };

  const Clock& clock_;
  const size_t slowest_max_;
  mutable Mutex mutex_;
  std::map<uint64_t, Running> running_ GUARDED_BY(mutex_);
  std::vector<Ended> slowest_ GUARDED_BY(mutex_);  // the slowest first
  uint64_t last_id_ GUARDED_BY(mutex_) = 0;
};

// {"series":1,"chunks":4,"cached":0,"slots":8640,"bytes":7800,"ms":1.5}
void append_cost_json(std::string& out, const QueryCost& cost);

}  // namespace statmill
