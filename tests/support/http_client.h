// A tiny HTTP/1.1 client for tests: one request per connection, blocking, no redirects, no compression.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace statmill {

struct HttpReply {
  int status = 0;       // 0 if nobody listens or the answer is not HTTP
  std::string headers;  // status line and header fields, as received
  std::string body;     // with chunks joined

  // Returns the value of a header field (case-insensitive), or an empty text.
  std::string header(std::string_view name) const;
};

// `target` is sent unchanged; the caller percent-encodes it.
HttpReply http_get(const Endpoint& server, std::string_view target);
HttpReply http_post(const Endpoint& server, std::string_view target, std::string_view body);

// Sends `request` unchanged and reads until the server closes: for requests that no client would send.
HttpReply http_raw(const Endpoint& server, std::string_view request);

}  // namespace statmill
