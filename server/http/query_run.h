// QueryRun: one request for a query, from its session to a thread of the pool and back.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/http/answer_stream.h"
#include "server/http/http_counters.h"
#include "server/http/query_service.h"
#include "server/http/router.h"

namespace statmill {

// Thread-safe where it says so; run() is called by one thread at a time.
class QueryRun {
 public:
  struct Request {
    const Route& route;  // must outlive the run
    Url url;
    std::string client;  // address and port, for people
    ContentCoding coding = ContentCoding::kNone;
    std::shared_ptr<QueryWork> work = {};  // instead of the route's query; nullptr: none
  };
  // `wake` is called on the query's thread when the session can take something from stream(). The services
  // must outlive the run.
  QueryRun(QueryService& service, HttpCounters& counters, Request request, std::function<void()> wake);
  ~QueryRun();
  QueryRun(const QueryRun&) = delete;
  QueryRun& operator=(const QueryRun&) = delete;

  // Computes the answer and passes it to stream(). Returns false if the query turned out to be heavy: it must
  // run again, in the heavy lane.
  bool run(QueryLane lane);
  const Route& route() const { return request_.route; }
  // Both are thread-safe.
  AnswerStream& stream() { return stream_; }
  QueryControl& control() { return control_; }

 private:
  HttpResponse call_handler();

  QueryService& service_;
  HttpCounters& counters_;
  const Request request_;
  const std::string text_;
  QueryLane lane_ = QueryLane::kSmall;  // confined to the thread that runs the query
  QueryControl control_;
  AnswerStream stream_;
  const uint64_t id_;    // on the board
  unsigned status_ = 0;  // HTTP status of the answer; 0 if the query never ran
};

}  // namespace statmill
