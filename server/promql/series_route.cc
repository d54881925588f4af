#include "server/promql/series_route.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "server/http/answer_json.h"
#include "server/http/query_parameters.h"
#include "server/http/query_response.h"
#include "server/promql/selector_text.h"

namespace statmill {
namespace {

bool is_selector(std::string_view match) {
  return match.find('{') != std::string_view::npos && match.find_first_of("\"'`") != std::string_view::npos;
}

}  // namespace

void list_selected_series(std::vector<Route>& routes, const Queries& queries) {
  const auto route = std::ranges::find(routes, "/api/v1/series", &Route::path);
  SM_CHECK(route != routes.end());
  route->query = [&queries, by_names = std::move(route->query)](const Url& url, QueryControl& control,
                                                                BodySink& sink) {
    const std::string_view match = url.find("match").value_or("");
    if (!is_selector(match)) return by_names(url, control, sink);
    const auto matchers = parse_selector_text(match);
    if (!matchers) return error_response(Error(matchers.error()).with("parameter match"));
    const auto limit = parse_list_limit(url, kSeriesListLimit);
    if (!limit) return error_response(limit.error());
    const auto page = queries.list(*matchers, *limit, control);
    if (!page) return error_response(page.error());
    return written(sink, kJson, series_list_json(*page));
  };
}

}  // namespace statmill
