// HttpOptions: the limits of the HTTP server. Each limit that is met has its count in
// statmill_http_refused_total{reason}.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.h"

namespace statmill {

struct HttpOptions {
  // From the first byte (of the first request: from the connection) to the end of the header.
  Duration header_timeout = std::chrono::seconds(5);
  Duration body_timeout = std::chrono::seconds(60);   // the whole body
  Duration idle_timeout = std::chrono::seconds(60);   // between two requests of a connection
  Duration write_timeout = std::chrono::seconds(30);  // one whole answer
  // How long after a last answer the peer's bytes are still read, so that a reset does not destroy the
  // answer.
  Duration linger_timeout = std::chrono::seconds(2);
  Duration stop_grace = std::chrono::seconds(5);  // for what is under way when the server stops
  size_t connections_max = 512;
  size_t requests_max = 1000;                     // of one connection
  size_t buffered_bytes_max = size_t{256} << 20;  // bodies and answers of all connections together
};

}  // namespace statmill
