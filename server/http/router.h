// Router: finds the route of a request in a table and calls its handler.
//
// It uses no socket and no thread. Each listener has its own table: server/http/api_routes.h over TCP,
// server/admin/admin_routes.h at the admin socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_message.h"
#include "server/http/query_work.h"
#include "server/http/url.h"
#include "server/query/body_sink.h"
#include "server/query/query_control.h"

namespace statmill {

// A request that is refused for its header may still have a body up to this size: it is read, and the
// connection goes on. A longer one is not read.
inline constexpr size_t kStrayBodyBytesMax = size_t{4} << 10;
// Has room for a PromQL text of 64 KiB with each byte escaped, so that the parser refuses a longer text.
inline constexpr size_t kFormBytesMax = size_t{256} << 10;

// Where a request is answered.
enum class Lane : uint8_t {
  kLoop,    // on the event loop: fast, never waits
  kMemory,  // on a worker thread: slow, but never waits for the disk
  kStore,   // on a worker thread that may wait for the disk
  kQuery,   // on a thread of the queries, with `Route::query` as its handler
  kLive,    // by the server's LiveSource; `Route::handle` answers if there is none
};

// What a route does with parameters that it does not know, and with repeated ones.
enum class Strictness : uint8_t {
  kStrict,   // refuses them
  kLenient,  // ignores unknown ones and takes the first of repeated ones, as clients of Prometheus expect
};

// Computes the answer of a query: writes it to the sink, and returns a response with status 200; or returns
// any other response without a write before it. Must be thread-safe. May be called a second time for a heavy
// query, if add_slots() has refused it and its first block was not full.
using QueryHandler = std::function<HttpResponse(const Url& url, QueryControl& control, BodySink& sink)>;

// The handler of one method of one path. The texts are string literals; `parameters` must outlive the router.
struct Route {
  std::string_view method;  // GET also accepts HEAD
  // A segment `*` matches any one segment, `\\*` a star, a last one `**` one or more.
  std::string_view path;
  std::span<const ParameterRule> parameters;
  size_t body_bytes_max = 0;  // 0: no body allowed
  // Called with a checked URL and a body within its limit. Must be thread-safe.
  std::function<HttpResponse(const Url& url, std::string_view body)> handle;
  std::string_view description;  // for the list of endpoints; empty: not listed
  Lane lane = Lane::kLoop;
  QueryHandler query =
      {};  // instead of `handle`, for Lane::kQuery; such a GET route also accepts a POST form
  Strictness strictness = Strictness::kStrict;
  Role role = Role::kRead;  // what a client needs; the session checks it
  // For routes with `query`: makes the work of a POST whose body is JSON. Errors are answered as
  // error_response() says.
  std::function<Result<std::shared_ptr<QueryWork>>(std::string_view body)> json = {};
  // Instead of `handle`, for routes that need fields of the request.
  std::function<HttpResponse(const HttpRequest& request, const Url& url)> respond = {};
  // Makes the response of a request that the server refuses before the handler sees it.
  HttpResponse (*refuse)(unsigned status, std::string_view message) = error_response;
  // The media type that the body must have; empty: any. Not for Lane::kQuery.
  std::string_view body_type = {};
  // The values of Content-Encoding that `respond` decodes; bodies with any other are refused with 415.
  std::span<const std::string_view> codings = {};
  bool is_traffic = false;  // carries samples, so that its requests are counted, not logged
  // Only requests whose target has this parameter match the route, and they prefer it; empty: all. The name
  // is compared as it is written, without escapes.
  std::string_view needs = {};
  bool has_json_of_any_type = false;  // `json` gets each body of a POST, whatever type its client says
};

// Thread-safe.
class Router {
 public:
  // The first route that matches a path and method is used, but see Route::needs. Adds `list_path`, a plain
  // page that lists all routes.
  explicit Router(std::vector<Route> routes, std::string_view list_path = "/");

  // All routes, in the order in which they are compared.
  std::span<const Route> routes() const { return routes_; }

  // Returns the size limit of the request's body. The target may be invalid.
  size_t body_bytes_max(std::string_view method, std::string_view target) const;

  // Where the request is to be answered, its name in the log (a string literal), and the role that it needs.
  // The target may be invalid.
  struct Handling {
    Lane lane = Lane::kLoop;
    const char* name = "an unknown path";
    Role role = Role::kNone;
    bool is_logged = false;  // each request has a line in the log, since it changes something
  };
  Handling handling(std::string_view method, std::string_view target) const;

  // Checks what is known before the body of a request: path, method, parameters of the target, origin and
  // type of the body. Returns the answer if no body makes the request valid. `has_body`: a body follows that
  // is not empty; false: it may be empty.
  std::optional<HttpResponse> refusal_before_body(const HttpRequest& request, bool has_body) const;

  // A checked request: its route and URL, or what to answer instead. Parameters of a form come before those
  // of the target.
  struct Checked {
    const Route* route = nullptr;  // nullptr: `refusal` is the answer
    Url url;
    HttpResponse refusal;
    std::shared_ptr<QueryWork> work = {};  // instead of the route's query; nullptr: none
  };
  // Requires: the body is within body_bytes_max().
  Checked check(const HttpRequest& request) const;

  // Returns the same response for HEAD as for GET; the session omits the body. Runs queries here, without
  // limits. Requires: the body is within body_bytes_max().
  HttpResponse answer(const HttpRequest& request) const;

 private:
  enum class Body : uint8_t { kNone, kSome };

  // Checks all but the body itself.
  Checked check_head(const HttpRequest& request, Body body) const;
  // `target`: whose path is decoded before it is compared, so that each spelling of a path finds one route.
  const Route* find_route(std::string_view method, std::string_view target) const;
  HttpResponse no_route(std::string_view method, std::string_view path) const;

  bool is_at(const Route& route, std::string_view path) const;

  const std::vector<Route> routes_;
  std::vector<bool> has_star_;  // by route: its path has a segment `*`, `**` or `\\*`
};

}  // namespace statmill
