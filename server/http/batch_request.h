// Parses the JSON body of POST /api/v1/query: many queries at once. API.md has the form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/http/url.h"

namespace statmill {

inline constexpr size_t kBatchQueriesMax = 200;
inline constexpr size_t kBatchIdBytesMax = 128;

struct BatchQuery {
  enum class Kind : uint8_t { kSeries, kHeatmap };

  std::string id;
  Kind kind = Kind::kSeries;
  // The parameters of the GET request that this query stands for.
  std::vector<Parameter> parameters = {};
  std::string error = {};  // what is wrong with the query; empty: nothing that is seen here
};

// Errors: kInvalid if the body is not an object with queries that have ids; kLimit above kBatchQueriesMax. A
// fault within one query is the `error` of that query, so that the others are answered.
Result<std::vector<BatchQuery>> parse_batch_request(std::string_view body);

}  // namespace statmill
