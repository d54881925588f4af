// Router: one table of requests and the road from a request to its response.
//
// A pure function of request and table: no socket, no thread. What a listener answers is the table it is
// given: server/http/api_routes.h over TCP, server/admin/admin_routes.h at the admin socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_message.h"
#include "server/http/url.h"

namespace statmill {

// A request that no route takes a body for may still bring one this long; it is read and refused.
inline constexpr size_t kStrayBodyBytesMax = size_t{64} << 10;

// Where a request is answered.
enum class Lane : uint8_t {
  kLoop,    // on the event loop: at once, and it waits for nothing
  kMemory,  // on a thread for what takes long, and does not wait for the disk
  kStore,   // on a thread for what may wait for the disk
};

// What is answered at one path. Its texts are string literals; its rules outlive the router.
struct Route {
  std::string_view method;  // GET answers HEAD too
  std::string_view path;
  std::span<const ParameterRule> parameters;
  size_t body_bytes_max = 0;  // 0: takes none
  // Gets a checked URL and a body within its limit. Thread-safe.
  std::function<HttpResponse(const Url& url, std::string_view body)> handle;
  std::string_view about;  // for the front page
  Lane lane = Lane::kLoop;
};

// Thread-safe.
class Router {
 public:
  // One route per path. `/` is always there: a page that lists them.
  explicit Router(std::vector<Route> routes);

  // How long a body the request may bring; the target need not be sound.
  size_t body_bytes_max(std::string_view method, std::string_view target) const;

  // Where the request is to be answered, and under which name: a string literal. The target need not be
  // sound.
  struct Handling {
    Lane lane = Lane::kLoop;
    const char* name = "a page that is not there";
  };
  Handling handling(std::string_view target) const;

  // Requires: the body is within body_bytes_max(). HEAD gets what GET gets; the session leaves the body out.
  HttpResponse answer(const HttpRequest& request) const;

 private:
  const Route* find_route(std::string_view path) const;

  const std::vector<Route> routes_;
};

}  // namespace statmill
