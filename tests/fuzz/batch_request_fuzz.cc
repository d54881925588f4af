// Reads bytes as the JSON body of a batch. It is refused, or its queries are within their bounds and their
// parameters have names of the API.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/http/batch_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const auto queries = parse_batch_request({reinterpret_cast<const char*>(data), size});
  if (!queries) {
    const ErrorCode code = queries.error().code;
    SM_CHECK(code == ErrorCode::kInvalid || code == ErrorCode::kLimit);
    SM_CHECK(!queries.error().message.empty());
    return 0;
  }
  constexpr std::string_view kNames =
      " series stats from until step max_points align timeout about expr grouping missing ";
  SM_CHECK(queries->size() <= kBatchQueriesMax);
  for (const BatchQuery& query : *queries) {
    SM_CHECK(!query.id.empty() && query.id.size() <= kBatchIdBytesMax);
    for (const Parameter& parameter : query.parameters)
      SM_CHECK(kNames.find(" " + parameter.name + " ") != std::string_view::npos);
    SM_CHECK(std::ranges::count(query.parameters, "missing", &Parameter::name) == 1);
  }
  return 0;
}
