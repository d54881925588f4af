// LineOptions: the options of a LineListener. PickleOptions: those of Graphite's pickles.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/net/network_filter.h"
#include "base/net/tls_context.h"
#include "base/text.h"

namespace statmill {

struct LineOptions {
  Endpoint listen;     // --line.listen; port 0: any port that is free for TCP and UDP; no host: do not listen
  size_t threads = 1;  // --line.threads, per listener
  size_t connections_max = 10'000;  // --line.connections, of all listeners; further ones are closed at once
  size_t per_address_max = 0;       // --line.per_address: of one client; 0: half of connections_max
  Duration idle_timeout = std::chrono::minutes(10);       // --line.idle_timeout, of TCP connections; 0: none
  Duration handshake_timeout = std::chrono::seconds(10);  // of TLS, from the accept; no setting
  size_t unfinished_bytes_max = 64 << 20;                 // --line.unfinished, of all TCP connections
  size_t udp_buffer_bytes = 32 << 20;                     // --line.udp_buffer, per socket, in the kernel
  std::string socket_path = {};         // --line.socket, --statsd.socket; empty: no unix socket
  std::string stream_socket_path = {};  // --statsd.stream_socket; empty: none
  TlsFiles tls = {};                    // --line.certificate, --line.key: of the TCP ports
  NetworkLists networks = {};           // --line.allow, --line.deny: of UDP, too
};

// Paths of unix sockets for statsd; empty: none.
struct StatsdSockets {
  std::string datagrams;  // --statsd.socket
  std::string streams;    // --statsd.stream_socket

  bool is_on() const { return !datagrams.empty() || !streams.empty(); }
};

struct PickleOptions {
  std::optional<Endpoint> listen;  // --graphite.pickle; nullopt: off
  size_t bytes_max = 1 << 20;      // --graphite.pickle_bytes, of one pickle; as carbon
};

}  // namespace statmill
