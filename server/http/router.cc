#include "server/http/router.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace statmill {
namespace {

HttpResponse list_of(const std::vector<Route>& routes) {
  std::string text = "statmill\n\n";
  for (const Route& route : routes) {
    if (route.description.empty()) continue;
    std::string line(route.method);
    line.resize(7, ' ');
    line.append(route.path).resize(45, ' ');
    text.append(line).append(route.description).append("\n");
  }
  return {200, std::move(text), kPlainText, {}};
}

// Puts the list of routes first. It also lists itself.
std::vector<Route> with_list(std::vector<Route> routes, std::string_view path) {
  routes.insert(routes.begin(), {"GET", path, {}, 0, {}, "this page"});
  routes.front().role = Role::kNone;
  routes.front().handle = [page = list_of(routes)](const Url&, std::string_view) { return page; };
  return routes;
}

bool allows_method(const Route& route, std::string_view method) {
  if (method == route.method) return true;
  return route.method == "GET" && (method == "HEAD" || (method == "POST" && route.lane == Lane::kQuery));
}

std::string allowed_methods(const Route& route) {
  if (route.method != "GET") return std::string(route.method);
  return route.lane == Lane::kQuery ? "GET, HEAD, POST" : "GET, HEAD";
}

// Compares segment by segment; a segment `*` of the pattern matches any segment, `**` all that are left.
bool matches(std::string_view pattern, std::string_view path) {
  for (;;) {
    if (pattern == "**") return !path.empty();
    const std::string_view wanted = pattern.substr(0, pattern.find('/'));
    const std::string_view segment = path.substr(0, path.find('/'));
    const bool is_same = wanted == "\\*" ? segment == "*" : wanted == segment;
    if (!is_same && (wanted != "*" || segment.empty())) return false;
    const bool is_end = wanted.size() == pattern.size();
    if (is_end || segment.size() == path.size()) return is_end && segment.size() == path.size();
    pattern.remove_prefix(wanted.size() + 1);
    path.remove_prefix(segment.size() + 1);
  }
}

// Returns the path as the handlers see it; an empty one if it is invalid.
std::string decoded_path(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.find('%') == std::string_view::npos) return std::string(path);
  Result<Url> url = parse_url(path);
  return url ? std::move(url->path) : std::string();
}

bool has_parameter(std::string_view target, std::string_view name) {
  size_t at = target.find('?');
  while (at != std::string_view::npos) {
    target.remove_prefix(at + 1);
    if (target.substr(0, target.find_first_of("=&")) == name) return true;
    at = target.find('&');
  }
  return false;
}

constexpr std::string_view kForm = "application/x-www-form-urlencoded";

bool posts_query(const Route& route, const HttpRequest& request) {
  return route.lane == Lane::kQuery && request.method == "POST";
}

// Requires: posts_query().
bool posts_batch(const Route& route, const HttpRequest& request) {
  return route.json && (route.has_json_of_any_type || is_media_type(request.content_type, kJson));
}

std::string_view no_form(const Route& route) {
  return route.json ? "the body must be of the type application/x-www-form-urlencoded or application/json"
                    : "the body must be of the type application/x-www-form-urlencoded";
}

// Puts the parameters of the form before those of the target, and checks all of them.
std::optional<HttpResponse> add_form(const Route& route, const HttpRequest& request, Url& url) {
  if (request.body.empty()) return std::nullopt;
  Result<std::vector<Parameter>> form = parse_form(request.body);
  if (!form) return route.refuse(400, form.error().message);
  std::ranges::move(url.parameters, std::back_inserter(*form));
  url.parameters = *std::move(form);
  if (route.strictness == Strictness::kLenient) return std::nullopt;
  const Status status = check_parameters(url, route.parameters);
  if (!status) return route.refuse(400, status.error().message);
  return std::nullopt;
}

// A page of another site can make a browser post here, but the browser then sends the page's origin.
bool is_cross_site(const HttpRequest& request) {
  if (request.origin.empty()) return false;
  const size_t scheme_end = request.origin.find("://");
  return scheme_end == std::string_view::npos || request.origin.substr(scheme_end + 3) != request.host;
}

}  // namespace

Router::Router(std::vector<Route> routes, std::string_view list_path)
    : routes_(with_list(std::move(routes), list_path)) {
  for (const Route& route : routes_) has_star_.push_back(route.path.find('*') != std::string_view::npos);
}

// Nearly all paths of routes are compared as a whole, since a request looks at all routes more than once.
bool Router::is_at(const Route& route, std::string_view path) const {
  return has_star_[static_cast<size_t>(&route - routes_.data())] ? matches(route.path, path)
                                                                 : route.path == path;
}

const Route* Router::find_route(std::string_view method, std::string_view target) const {
  const std::string path = decoded_path(target);
  const Route* found = nullptr;
  for (const Route& route : routes_) {
    if (!is_at(route, path) || !allows_method(route, method)) continue;
    if (!route.needs.empty() && has_parameter(target, route.needs)) return &route;
    if (route.needs.empty() && found == nullptr) found = &route;
  }
  return found;
}

HttpResponse Router::no_route(std::string_view method, std::string_view path) const {
  std::string allow;
  const Route* known = nullptr;
  for (const Route& route : routes_) {
    if (!is_at(route, path)) continue;
    known = &route;
    allow.append(allow.empty() ? "" : ", ").append(allowed_methods(route));
  }
  if (known == nullptr) return error_response(404, "there is nothing at " + std::string(path));
  if (method == "OPTIONS") {
    HttpResponse response{.status = 204, .body = {}, .content_type = kPlainText};
    response.allow = allow + ", OPTIONS";
    return response;
  }
  HttpResponse response = known->refuse(405, std::string(path) + " allows only " + allow);
  response.allow = std::move(allow);
  return response;
}

size_t Router::body_bytes_max(std::string_view method, std::string_view target) const {
  const Route* route = find_route(method, target);
  if (route == nullptr) return kStrayBodyBytesMax;
  if (route->lane == Lane::kQuery) return kFormBytesMax;
  return route->body_bytes_max > 0 ? route->body_bytes_max : kStrayBodyBytesMax;
}

Router::Handling Router::handling(std::string_view method, std::string_view target) const {
  const Route* route = find_route(method, target);
  if (route == nullptr) return {};
  const bool is_logged = route->method != "GET" && route->role >= Role::kWrite && !route->is_traffic;
  return {route->lane, route->path.data(), route->role, is_logged};
}

Router::Checked Router::check_head(const HttpRequest& request, Body body) const {
  const auto refused = [](HttpResponse response) { return Checked{nullptr, {}, std::move(response)}; };
  Result<Url> url = parse_url(request.target);
  if (!url) return refused(error_response(url.error()));
  const Route* route = find_route(request.method, request.target);
  if (route == nullptr) return refused(no_route(request.method, url->path));
  const bool is_query = posts_query(*route, request);
  const bool is_batch = is_query && posts_batch(*route, request);
  if (is_query && !is_batch && body == Body::kSome && request.content_encoding.empty() &&
      !is_media_type(request.content_type, kForm))
    return refused(route->refuse(415, no_form(*route)));
  if (is_batch || route->strictness == Strictness::kStrict) {
    const Status status =
        check_parameters(*url, is_batch ? std::span<const ParameterRule>() : route->parameters);
    if (!status) return refused(route->refuse(400, status.error().message));
  }
  if (!is_query && route->body_bytes_max == 0 && body == Body::kSome)
    return refused(route->refuse(400, url->path + " does not allow a body"));
  if (!is_query && route->method != "GET" && is_cross_site(request)) {
    return refused(
        route->refuse(403, "refused: the request comes from a page of " + std::string(request.origin)));
  }
  if (!route->body_type.empty() && !is_media_type(request.content_type, route->body_type))
    return refused(route->refuse(415, "the body must be of the type " + std::string(route->body_type)));
  if (route->lane == Lane::kLive && !is_media_type(request.content_type, kJson))
    return refused(route->refuse(415, "the body must be of the type application/json"));
  if (!request.content_encoding.empty() &&
      std::ranges::find(route->codings, request.content_encoding) == route->codings.end())
    return refused(
        route->refuse(415, "this Content-Encoding is not supported here; send the body unencoded"));
  return {route, *std::move(url), {}};
}

std::optional<HttpResponse> Router::refusal_before_body(const HttpRequest& request, bool has_body) const {
  Checked head = check_head(request, has_body ? Body::kSome : Body::kNone);
  if (head.route != nullptr) return std::nullopt;
  return std::move(head.refusal);
}

Router::Checked Router::check(const HttpRequest& request) const {
  Checked checked = check_head(request, request.body.empty() ? Body::kNone : Body::kSome);
  if (checked.route == nullptr || !posts_query(*checked.route, request)) return checked;
  const auto refused = [](HttpResponse response) { return Checked{nullptr, {}, std::move(response)}; };
  const Route& route = *checked.route;
  if (posts_batch(route, request)) {
    auto work = route.json(request.body);
    if (!work) return refused(error_response(work.error()));
    checked.work = *std::move(work);
    return checked;
  }
  if (auto response = add_form(route, request, checked.url)) return refused(*std::move(response));
  return checked;
}

HttpResponse Router::answer(const HttpRequest& request) const {
  Checked checked = check(request);
  if (checked.route == nullptr) return std::move(checked.refusal);
  if (checked.route->respond) return checked.route->respond(request, checked.url);
  if (checked.route->lane != Lane::kQuery) return checked.route->handle(checked.url, request.body);
  QueryControl control;
  StringSink sink;
  HttpResponse response = checked.work ? checked.work->run({nullptr, {}, control, sink})
                                       : checked.route->query(checked.url, control, sink);
  if (response.status != 200 || sink.text().empty()) return response;
  response.body = sink.text();
  if (!sink.content_type().empty()) response.content_type = sink.content_type();
  return response;
}

}  // namespace statmill
