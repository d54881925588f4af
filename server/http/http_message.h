// HttpRequest and HttpResponse: passed between the sessions and the router. They use no socket or library
// type.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/http/access.h"

namespace statmill {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kCsv = "text/csv; charset=utf-8";
inline constexpr std::string_view kNdjson = "application/x-ndjson";
inline constexpr std::string_view kBytes = "application/octet-stream";
inline constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// Views into the session's buffers, valid while the request is being answered. Missing fields are empty.
struct HttpRequest {
  std::string_view method;
  std::string_view target;
  std::string_view body;
  std::string_view host;
  std::string_view origin;
  std::string_view content_encoding;
  std::string_view content_type = {};
  std::string_view accept_encoding = {};
  std::string_view if_none_match = {};
  std::string_view if_match = {};
  std::string_view peer = {};  // the address of the client; empty at a unix socket
  Role role = Role::kAdmin;    // what its client may do
  // The words for people of its token, or the user and process at a unix socket; empty: unknown.
  std::string_view user = {};
};

// Returns whose request it is, for people: its user, and its address or "the admin socket".
std::string requester(const HttpRequest& request);

struct HttpResponse {
  unsigned status = 200;
  std::string body;
  std::string_view content_type = kJson;   // always one of the constants
  std::string allow = {};                  // the allowed methods; only with status 405
  bool may_retry = false;                  // adds Retry-After: the same request may succeed in a second
  std::string server_timing = {};          // the field Server-Timing; empty: none
  std::string_view content_encoding = {};  // "gzip", "zstd", or empty if the body is not compressed
  // A string literal.
  std::string_view cache_control = "no-store";
  std::string etag = {};            // empty: none
  bool varies_by_encoding = false;  // adds Vary, also if this answer is not compressed
  std::vector<std::pair<std::string_view, std::string>> fields = {};  // further ones; names are literals
  // If set, the session calls it once, with a function that sends the response; that function may be called
  // once, from any thread. The answer is 503 if it is not called in time (HttpOptions::hold_timeout).
  std::function<void(std::function<void()> send)> hold = {};
};

// Returns true if a Content-Type field, which may have parameters, is of the media type, a text in lower
// case.
bool is_media_type(std::string_view content_type, std::string_view type);

// Returns a response with the body {"error":"...","status":400} and a line end.
HttpResponse error_response(unsigned status, std::string_view message);

// Does the same with the status that matches the error's code: 400, 404, 422, 500 or 503.
HttpResponse error_response(const Error& error);

// Formats a Date field, "Fri, 20 Nov 2026 12:00:00 GMT" (RFC 9110 section 5.6.7). Requires: year 0..9999.
std::string http_date(Timestamp now);

}  // namespace statmill
