// HttpOptions: the limits of the HTTP server. statmill_http_refused_total{reason} counts how often each limit
// is reached.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "server/http/cors_origins.h"

namespace statmill {

// Which answers are compressed for clients that accept it.
enum class HttpCompression : uint8_t {
  kAuto,    // those to other hosts
  kAlways,  // also those to this host
  kOff,
};

struct HttpOptions {
  // For a whole header, from its first byte; for the first request, from the start of the connection.
  Duration header_timeout = std::chrono::seconds(5);
  Duration body_timeout = std::chrono::seconds(60);  // for a whole body
  // After its first step, a body brings at least this many bytes in each step.
  Duration body_step = std::chrono::seconds(5);
  size_t body_step_bytes = size_t{16} << 10;
  Duration idle_timeout = std::chrono::seconds(60);   // between two requests of a connection
  Duration write_timeout = std::chrono::seconds(30);  // for a whole answer, or for one block of a long one
  // How long an answer waits until the store has what it acknowledges.
  Duration hold_timeout = std::chrono::seconds(5);
  // How long the session keeps reading after its last answer. Closing earlier could reset the connection and
  // destroy the answer.
  Duration linger_timeout = std::chrono::seconds(2);
  Duration stop_linger{250};                      // the same when the server stops
  Duration stop_grace = std::chrono::seconds(5);  // for requests under way when the server stops
  HttpCompression compression = HttpCompression::kAuto;
  CorsOrigins cors_origins = {};  // of foreign pages that may read answers
  bool access_log = false;        // a line in the log for each request
  size_t connections_max = 512;
  size_t per_address_max = 0;                     // connections of one client; 0: half of connections_max
  size_t requests_max = 1000;                     // per connection
  size_t buffered_bytes_max = size_t{256} << 20;  // bodies and answers of all connections
};

}  // namespace statmill
