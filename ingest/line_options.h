// LineOptions: how lines are listened for.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/clock.h"
#include "base/text.h"

namespace statmill {

struct LineOptions {
  Endpoint listen;     // --line.listen and the like; port 0: any free one, for TCP and UDP; no host: no port
  size_t threads = 1;  // --line.threads, of each listener
  size_t connections_max = 10'000;  // --line.connections, of all listeners: more are closed at once
  Duration idle_timeout = std::chrono::minutes(10);  // --line.idle_timeout, of TCP connections; 0: none
  size_t udp_buffer_bytes = 32 << 20;                // --line.udp_buffer, asked of the kernel for each socket
  std::string socket_path = {};                      // --line.socket; empty: none
};

}  // namespace statmill
