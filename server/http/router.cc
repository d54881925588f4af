// See router.h.
#include "server/http/router.h"

#include <array>
#include <span>

#include "server/http/handlers.h"
#include "server/http/url.h"

namespace statmill {
namespace {

HttpResponse handle_front_page(const HttpServices& services, const Url& url, std::string_view body);

struct Route {
  std::string_view method;  // GET answers HEAD too
  std::string_view path;
  std::span<const ParameterRule> parameters;
  size_t body_bytes_max;  // 0: takes none
  HttpResponse (*handle)(const HttpServices& services, const Url& url, std::string_view body);
  std::string_view about;
};

constexpr std::array<ParameterRule, 2> kSeriesParameters = {{{"match"}, {"limit"}}};
constexpr std::array<ParameterRule, 6> kQueryParameters = {
    {{"series", true}, {"from"}, {"until"}, {"step"}, {"max_points"}, {"stats"}}};

// One route per path.
constexpr std::array<Route, 8> kRoutes = {{
    {"GET", "/", {}, 0, handle_front_page, "this page"},
    {"GET", "/api/v1/query", kQueryParameters, 0, handle_query, "points of series over a range of time"},
    {"GET", "/api/v1/series", kSeriesParameters, 0, handle_series, "the series whose names match a glob"},
    {"GET", "/api/v1/status", {}, 0, handle_status, "what the server is and does"},
    {"POST", "/api/v1/lines", {}, kLinesBodyBytesMax, handle_lines, "samples in, in the line protocol"},
    {"GET", "/metrics", {}, 0, handle_metrics, "the server's own counters, as Prometheus text"},
    {"GET", "/healthz", {}, 0, handle_healthz, "ok while the process answers"},
    {"GET", "/readyz", {}, 0, handle_readyz, "whether the server can do its job, and what keeps it from it"},
}};

HttpResponse handle_front_page(const HttpServices&, const Url&, std::string_view) {
  std::string text = "statmill\n\n";
  for (const Route& route : kRoutes) {
    std::string line(route.method);
    line.resize(6, ' ');
    line.append(route.path).resize(24, ' ');
    text.append(line).append(route.about).append("\n");
  }
  return {200, std::move(text), kPlainText, {}};
}

const Route* find_route(std::string_view path) {
  for (const Route& route : kRoutes) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

bool takes_method(const Route& route, std::string_view method) {
  return method == route.method || (method == "HEAD" && route.method == "GET");
}

HttpResponse wrong_method(const Route& route) {
  std::string allow = route.method == "GET" ? "GET, HEAD" : std::string(route.method);
  HttpResponse response = error_response(405, std::string(route.path) + " takes " + allow + " only");
  response.allow = std::move(allow);
  return response;
}

// A page of another site can make a browser post here, but not without saying whose page it is.
bool is_cross_site(const HttpRequest& request) {
  if (request.origin.empty()) return false;
  const size_t scheme_end = request.origin.find("://");
  return scheme_end == std::string_view::npos || request.origin.substr(scheme_end + 3) != request.host;
}

}  // namespace

size_t Router::body_bytes_max(std::string_view method, std::string_view target) const {
  const Route* route = find_route(target.substr(0, target.find('?')));
  const bool takes_body = route != nullptr && takes_method(*route, method) && route->body_bytes_max > 0;
  return takes_body ? route->body_bytes_max : kStrayBodyBytesMax;
}

HttpResponse Router::answer(const HttpRequest& request) const {
  const Result<Url> url = parse_url(request.target);
  if (!url) return error_response(url.error());
  const Route* route = find_route(url->path);
  if (route == nullptr) return error_response(404, "nothing is at " + url->path);
  if (!takes_method(*route, request.method)) return wrong_method(*route);
  if (const Status status = check_parameters(*url, route->parameters); !status) {
    return error_response(status.error());
  }
  if (route->body_bytes_max == 0 && !request.body.empty()) {
    return error_response(400, url->path + " takes no body");
  }
  if (route->method == "POST" && is_cross_site(request)) {
    return error_response(403, "refused: the request comes from a page of " + std::string(request.origin));
  }
  if (!request.content_encoding.empty()) {
    return error_response(415, "Content-Encoding is not taken; send the body as it is");
  }
  return route->handle(services_, *url, request.body);
}

}  // namespace statmill
