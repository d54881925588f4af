// QueryBatch: answers the queries of POST /api/v1/query one after another, a line of JSON for each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/batch_request.h"
#include "server/http/query_work.h"
#include "server/http/router.h"

namespace statmill {

inline constexpr size_t kBatchAnswerBytesMax = size_t{64} << 20;  // of all answers

// What a batch uses. The handlers are those of the GET routes, so the answers are theirs, byte for byte.
struct BatchServices {
  struct Endpoint {
    std::string_view path;
    std::span<const ParameterRule> parameters;
    QueryHandler handler;
  };
  Endpoint series;
  Endpoint heatmap;
  const Clock& clock;                      // must outlive the batch
  std::function<uint64_t()> series_count;  // of the server
};

// Each query has the limits of a query, and all of them together have the time of one. A query that is too
// heavy moves the rest of the batch to the heavy queries. Queries that are not reached in time are answered
// with 503; those whose answers are longer than what is left of kBatchAnswerBytesMax with 422.
class QueryBatch final : public QueryWork {
 public:
  // `services` must outlive it.
  QueryBatch(const BatchServices& services, std::vector<BatchQuery> queries)
      : services_(services), queries_(std::move(queries)) {}

  std::string text() const override;
  HttpResponse run(const QueryTurn& turn) override;

 private:
  // Answers one query: its whole line. Empty if the query must run again among the heavy ones.
  std::string line_of(const BatchQuery& query, const QueryTurn& turn, bool is_among_small);

  const BatchServices& services_;
  const std::vector<BatchQuery> queries_;
  size_t next_ = 0;  // the first query without an answer
  size_t bytes_ = 0;
  std::chrono::duration<double, std::milli> spent_{0};
};

// Adds JSON batches to the route of /api/v1/query. Requires: `routes` has it and that of /api/v1/heatmap,
// with their final handlers. `clock` and what `series_count` uses must outlive the routes.
void add_batches(std::vector<Route>& routes, const Clock& clock, std::function<uint64_t()> series_count);

}  // namespace statmill
