// HttpRequest and HttpResponse: what passes between the sessions and the router; no socket, no library type.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// Views into what the session holds while the request is answered. Fields that were not sent are empty.
struct HttpRequest {
  std::string_view method;
  std::string_view target;
  std::string_view body;
  std::string_view host;
  std::string_view origin;
  std::string_view content_encoding;
};

struct HttpResponse {
  unsigned status = 200;
  std::string body;
  std::string_view content_type = kJson;  // always one of the constants
  std::string allow;                      // methods, with status 405
};

// {"error":"...","status":400} and a line end.
HttpResponse error_response(unsigned status, std::string_view message);

// The status that stands for the error's code: 400, 404, 422, 500 or 503.
HttpResponse error_response(const Error& error);

// "Fri, 20 Nov 2026 12:00:00 GMT", the Date field of RFC 9110 section 5.6.7. Requires: year 0..9999.
std::string http_date(Timestamp now);

}  // namespace statmill
