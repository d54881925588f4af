// QueryWork: a query that comes as a JSON body, and may need several turns on threads of the pool.
#pragma once

#include <string>
#include <string_view>

#include "server/http/http_message.h"
#include "server/query/body_sink.h"
#include "server/query/query_control.h"

namespace statmill {

class QueryService;

// One turn on a thread. All that it refers to must outlive the turn.
struct QueryTurn {
  QueryService* service;  // nullptr: the default limits, and no metrics
  std::string_view client;
  QueryControl& control;  // of the whole work
  BodySink& sink;
};

// Used by one thread at a time.
class QueryWork {
 public:
  virtual ~QueryWork() = default;

  // What the log and the list of queries show.
  virtual std::string text() const = 0;
  // Computes the answer, as QueryHandler does, or what is left of it. If the control is too heavy afterwards
  // (QueryControl::require_heavy()), the next turn is among the heavy queries, and goes on from here.
  virtual HttpResponse run(const QueryTurn& turn) = 0;
};

}  // namespace statmill
