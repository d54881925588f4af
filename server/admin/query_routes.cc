#include "server/admin/query_routes.h"

#include <array>
#include <limits>
#include <string>

#include "base/text.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kCancelParameters = {{{"id"}}};

HttpResponse handle_cancel(QueryBoard& board, const Url& url) {
  const Result<int64_t> id =
      parse_integer(url.find("id").value_or(""), 1, std::numeric_limits<int64_t>::max());
  if (!id) return error_response(400, "id must be the number of a query in /api/v1/status/queries");
  if (!board.cancel(static_cast<uint64_t>(*id)))
    return error_response(404, "no query with the id " + std::to_string(*id) + " runs");
  return {200, "{\"canceled\":" + std::to_string(*id) + "}\n", kJson, {}};
}

}  // namespace

Route cancel_query_route(QueryBoard& board) {
  return {"POST",
          "/admin/v1/cancel-query",
          kCancelParameters,
          0,
          [&board](const Url& url, std::string_view) { return handle_cancel(board, url); },
          "cancel a query"};
}

}  // namespace statmill
