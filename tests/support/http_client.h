// A tiny HTTP/1.1 client for tests: one request per connection, blocking, no redirects, no compression.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace statmill {

struct HttpReply {
  int status = 0;       // 0: nobody there, or no HTTP came back
  std::string headers;  // status line and header fields, as received
  std::string body;     // chunks joined

  // The value of the header field `name` (any case), or empty.
  std::string header(std::string_view name) const;
};

// `target` is sent as it is: percent-encode it yourself.
HttpReply http_get(const Endpoint& server, std::string_view target);
HttpReply http_post(const Endpoint& server, std::string_view target, std::string_view body);

// Sends `request` byte by byte as given and reads until the server closes: for requests no client would make.
HttpReply http_raw(const Endpoint& server, std::string_view request);

}  // namespace statmill
