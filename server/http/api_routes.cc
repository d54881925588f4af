#include "server/http/api_routes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "server/http/handlers.h"

namespace statmill {
namespace {

constexpr std::array<ParameterRule, 1> kCardinalityParameters = {{{"parts"}}};
constexpr std::array<ParameterRule, 2> kAgentsParameters = {{{"host"}, {"since"}}};
constexpr std::array<ParameterRule, 1> kRetentionParameters = {{{"name"}}};
constexpr std::array<ParameterRule, 2> kSeriesParameters = {{{"match"}, {"limit"}}};
constexpr std::array<ParameterRule, 3> kTreeParameters = {{{"prefix"}, {"limit"}, {"after"}}};
constexpr std::array<ParameterRule, 4> kSearchParameters = {{{"q"}, {"limit"}, {"kind"}, {"under"}}};
constexpr std::array<ParameterRule, 12> kQueryParameters = {{{"series", true},
                                                             {"expr"},
                                                             {"from"},
                                                             {"until"},
                                                             {"step"},
                                                             {"max_points"},
                                                             {"stats"},
                                                             {"align"},
                                                             {"format"},
                                                             {"timeout"},
                                                             {"missing"},
                                                             {"about"}}};
constexpr std::array<ParameterRule, 11> kHeatmapParameters = {{{"series", true},
                                                               {"from"},
                                                               {"until"},
                                                               {"step"},
                                                               {"max_points"},
                                                               {"stats"},
                                                               {"align"},
                                                               {"grouping"},
                                                               {"timeout"},
                                                               {"missing"},
                                                               {"about"}}};

std::vector<Route> query_routes(const HttpServices& services) {
  const auto with = [&services](HttpResponse (*handle)(const HttpServices&, const Url&, QueryControl&,
                                                       BodySink&)) -> QueryHandler {
    return [services, handle](const Url& url, QueryControl& control, BodySink& sink) {
      return handle(services, url, control, sink);
    };
  };
  return {
      {"GET",
       "/api/v1/query",
       kQueryParameters,
       0,
       {},
       "points of series, or of a PromQL expression, over a range of time",
       Lane::kQuery,
       with(handle_query)},
      {"GET",
       "/api/v1/heatmap",
       kHeatmapParameters,
       0,
       {},
       "distribution of samples over a range of time",
       Lane::kQuery,
       with(handle_heatmap)},
      {"GET",
       "/api/v1/series",
       kSeriesParameters,
       0,
       {},
       "the series whose names match a glob or a selector",
       Lane::kQuery,
       with(handle_series)},
      {"GET",
       "/api/v1/tree",
       kTreeParameters,
       0,
       {},
       "the parts that paths have after a prefix",
       Lane::kQuery,
       with(handle_tree)},
      {"GET",
       "/api/v1/search",
       kSearchParameters,
       0,
       {},
       "the series whose names have some words",
       Lane::kQuery,
       with(handle_search)},
  };
}

}  // namespace

std::vector<Route> api_routes(const HttpServices& services) {
  const auto with = [&services](HttpResponse (*handle)(const HttpServices&, const Url&, std::string_view)) {
    return [services, handle](const Url& url, std::string_view body) { return handle(services, url, body); };
  };
  std::vector<Route> routes = query_routes(services);
  std::ranges::move(
      std::vector<Route>{
          {"GET", "/api/v1/status", {}, 0, {}, "state of the server"},
          {"GET",
           "/api/v1/status/rejects",
           {},
           0,
           with(handle_rejects),
           "the last lines that were refused",
           Lane::kMemory},
          {"GET", "/api/v1/status/cardinality", kCardinalityParameters, 0, with(handle_cardinality),
           "prefixes with the most series, and senders that exceed the limits", Lane::kMemory},
          {"GET",
           "/api/v1/status/queries",
           {},
           0,
           with(handle_queries),
           "queries that run, and the slowest of the last day",
           Lane::kMemory},
          {"GET", "/api/v1/status/agents", kAgentsParameters, 0, with(handle_agents),
           "known agents, their progress and their losses", Lane::kMemory},
          {"GET", "/api/v1/retention", kRetentionParameters, 0, with(handle_retention),
           "how long the series of a name is kept", Lane::kMemory},
          {"GET",
           "/api/v1/hosts",
           {},
           0,
           with(handle_hosts),
           "hosts, their tags, agents and collectors",
           Lane::kMemory},
          {"POST",
           "/api/v1/lines",
           {},
           kLinesBodyBytesMax,
           with(handle_lines),
           "send samples in the line protocol",
           Lane::kMemory},
          {"POST",
           "/api/v1/live",
           {},
           kLiveBodyBytesMax,
           with(handle_no_live),
           "the newest slots of series, each second",
           Lane::kLive},
          {"GET", "/metrics", {}, 0, with(handle_metrics), "the server's own counters, as Prometheus text"},
          {"GET",
           "/healthz",
           {},
           0,
           with(handle_healthz),
           "503 if the server hangs and a restart would help"},
          {"GET",
           "/readyz",
           {},
           0,
           with(handle_readyz),
           "503 if the server cannot do its job, with the reasons"},
          {"GET", "/prometheus/-/healthy", {}, 0, with(handle_healthz), "the same as /healthz"},
          {"GET", "/prometheus/-/ready", {}, 0, with(handle_readyz), "the same as /readyz"},
      },
      std::back_inserter(routes));
  for (Route& route : routes) {
    if (route.path == "/api/v1/lines") {
      route.role = Role::kWrite;
      route.is_traffic = true;
    }
    if (route.path.ends_with("/healthz") || route.path.ends_with("/readyz") ||
        route.path.find("/-/") != std::string_view::npos)
      route.role = Role::kNone;
    if (route.path == "/api/v1/status")
      route.respond = [services](const HttpRequest& request, const Url&) {
        return handle_status(services, request);
      };
  }
  return routes;
}

}  // namespace statmill
