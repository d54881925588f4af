#include "server/graphite/render_routes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "base/stage.h"
#include "server/graphite/function_json.h"
#include "server/graphite/render_answer.h"
#include "server/graphite/render_request.h"
#include "server/query/attempts.h"

namespace statmill::graphite {
namespace {

Result<SeriesList> rendered(const RenderSources& sources, const RenderRequest& request,
                            QueryControl& control) {
  StoredTargets source(sources.series, sources.events, control, sources.clock.wall());
  Evaluation evaluation(source, control, request.options);
  SeriesList out;
  size_t points = 0;
  for (const SyntaxTree& tree : request.targets) {
    auto list = evaluation.evaluate(tree);
    if (!list) return list.error();
    for (const Series& series : *list) points += series.values.size();
    std::ranges::move(*list, std::back_inserter(out));
    if (out.size() > control.limits().series_max) return control.refuse(QueryLimit::kSeries, out.size());
    if (points > control.limits().points_max) return control.refuse(QueryLimit::kPoints, points);
  }
  return out;
}

HttpResponse handle_render(const RenderSources& sources, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const auto request = parse_render_request(url, sources.clock.wall());
  if (!request) return error_response(request.error());
  const auto list =
      run_attempts(sources.series.retention, control, [&] { return rendered(sources, *request, control); });
  if (!list) return error_response(list.error());
  const InStage stage(Stage::kPrint);
  const Status written = write_render_answer(*list, *request, sink);
  return written ? HttpResponse{} : error_response(written.error());
}

HttpResponse handle_functions(const Url& url, std::string_view) {
  const std::string_view grouped = url.find("grouped").value_or("");
  return {200,
          functions_json({.is_grouped = grouped == "1" || grouped == "true", .group = url.find("group")}),
          kJson,
          {}};
}

HttpResponse handle_function(const Url& url, std::string_view) {
  const Function* function = find_function(std::string_view(url.path).substr(url.path.rfind('/') + 1));
  if (function == nullptr) return error_response(404, "no function is called so");
  return {200, function_json(*function), kJson, {}};
}

Route plain_route(std::string_view path, HttpResponse (*handle)(const Url&, std::string_view),
                  std::string_view description) {
  Route route{"GET", path, {}, 0, handle, description};
  route.strictness = Strictness::kLenient;
  return route;
}

}  // namespace

std::vector<Route> render_routes(const RenderSources& sources) {
  constexpr std::array<std::string_view, 2> kRender = {"/render", "/graphite/render"};
  std::vector<Route> routes;
  for (const std::string_view path : kRender) {
    Route route{"GET",       path, {}, 0, {}, path == kRender[0] ? "targets of Graphite, computed" : "",
                Lane::kQuery};
    route.strictness = Strictness::kLenient;
    route.query = [sources](const Url& url, QueryControl& control, BodySink& sink) {
      return handle_render(sources, url, control, sink);
    };
    routes.push_back(std::move(route));
  }
  routes.push_back(plain_route("/functions", handle_functions, "the functions of Graphite's targets"));
  routes.push_back(plain_route("/functions/*", handle_function, "one of them"));
  routes.push_back(plain_route("/graphite/functions", handle_functions, ""));
  routes.push_back(plain_route("/graphite/functions/*", handle_function, ""));
  return routes;
}

}  // namespace statmill::graphite
