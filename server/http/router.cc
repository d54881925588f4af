#include "server/http/router.h"

#include <utility>

namespace statmill {
namespace {

HttpResponse front_page(const std::vector<Route>& routes) {
  std::string text = "statmill\n\n";
  for (const Route& route : routes) {
    std::string line(route.method);
    line.resize(6, ' ');
    line.append(route.path).resize(42, ' ');
    text.append(line).append(route.description).append("\n");
  }
  return {200, std::move(text), kPlainText, {}};
}

// Puts the front page first. It also lists itself.
std::vector<Route> with_front_page(std::vector<Route> routes) {
  routes.insert(routes.begin(), {"GET", "/", {}, 0, {}, "this page"});
  routes.front().handle = [page = front_page(routes)](const Url&, std::string_view) { return page; };
  return routes;
}

bool allows_method(const Route& route, std::string_view method) {
  return method == route.method || (method == "HEAD" && route.method == "GET");
}

HttpResponse wrong_method(const Route& route) {
  std::string allow = route.method == "GET" ? "GET, HEAD" : std::string(route.method);
  HttpResponse response = error_response(405, std::string(route.path) + " allows only " + allow);
  response.allow = std::move(allow);
  return response;
}

// A page of another site can make a browser post here, but the browser then sends the page's origin.
bool is_cross_site(const HttpRequest& request) {
  if (request.origin.empty()) return false;
  const size_t scheme_end = request.origin.find("://");
  return scheme_end == std::string_view::npos || request.origin.substr(scheme_end + 3) != request.host;
}

}  // namespace

Router::Router(std::vector<Route> routes) : routes_(with_front_page(std::move(routes))) {}

const Route* Router::find_route(std::string_view path) const {
  for (const Route& route : routes_) {
    if (route.path == path) return &route;
  }
  return nullptr;
}

size_t Router::body_bytes_max(std::string_view method, std::string_view target) const {
  const Route* route = find_route(target.substr(0, target.find('?')));
  const bool allows_body = route != nullptr && allows_method(*route, method) && route->body_bytes_max > 0;
  return allows_body ? route->body_bytes_max : kStrayBodyBytesMax;
}

Router::Handling Router::handling(std::string_view target) const {
  const Route* route = find_route(target.substr(0, target.find('?')));
  return route == nullptr ? Handling{} : Handling{route->lane, route->path.data()};
}

HttpResponse Router::answer(const HttpRequest& request) const {
  const Result<Url> url = parse_url(request.target);
  if (!url) return error_response(url.error());
  const Route* route = find_route(url->path);
  if (route == nullptr) return error_response(404, "there is nothing at " + url->path);
  if (!allows_method(*route, request.method)) return wrong_method(*route);
  if (const Status status = check_parameters(*url, route->parameters); !status) {
    return error_response(status.error());
  }
  if (route->body_bytes_max == 0 && !request.body.empty()) {
    return error_response(400, url->path + " does not allow a body");
  }
  if (route->method == "POST" && is_cross_site(request)) {
    return error_response(403, "refused: the request comes from a page of " + std::string(request.origin));
  }
  if (!request.content_encoding.empty()) {
    return error_response(415, "Content-Encoding is not supported; send the body unencoded");
  }
  return route->handle(*url, request.body);
}

}  // namespace statmill
