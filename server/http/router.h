// Router: the table of everything this server answers, and the road from a request to its response.
//
// A pure function of request and services: no socket, no thread, no state.
#pragma once

#include <cstddef>

#include "server/http/http_message.h"
#include "server/http/http_services.h"

namespace statmill {

// A request that no route takes a body for may still bring one this long; it is read and refused.
inline constexpr size_t kStrayBodyBytesMax = size_t{64} << 10;
inline constexpr size_t kLinesBodyBytesMax = size_t{8} << 20;

// Thread-safe.
class Router {
 public:
  explicit Router(HttpServices services) : services_(std::move(services)) {}

  // How long a body the request may bring; the target need not be sound.
  size_t body_bytes_max(std::string_view method, std::string_view target) const;

  // Requires: the body is within body_bytes_max(). HEAD gets what GET gets; the session leaves the body out.
  HttpResponse answer(const HttpRequest& request) const;

 private:
  const HttpServices services_;
};

}  // namespace statmill
