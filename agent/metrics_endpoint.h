// MetricsEndpoint: an HTTP server that answers only GET /metrics.
//
// Each connection serves one request. Limits on number, size and time keep connections from slowing
// the agent down.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/net/live_sessions.h"
#include "base/net/tcp_acceptor.h"
#include "base/result.h"
#include "base/text.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the thread that runs the io_context.
class MetricsEndpoint {
 public:
  static constexpr size_t kConnectionsMax = 16;     // open at the same time; further ones are closed
  static constexpr size_t kRequestBytesMax = 8192;  // the size limit of the header; a request has no body
  static constexpr std::chrono::seconds kLimit{5};  // from accepting a connection to the end of the response

  using Text = std::function<std::string()>;
  // `io` and `registry` must outlive the endpoint. `text` returns the response body in Prometheus' format.
  MetricsEndpoint(boost::asio::io_context& io, Registry& registry, Text text);

  // Errors: kBusy (address in use), kInvalid (no such address), kIo.
  Status open(const Endpoint& listen);
  Endpoint endpoint() const { return acceptor_.endpoint(); }
  // Accepts no more connections.
  void stop() { acceptor_.close(); }

 private:
  class Session;
  struct Counters {
    Counter& requests;
    Counter& connections_refused;
    Counter& requests_refused;
    Counter& late;
  };

  const Text text_;
  Counters counters_;
  LiveSessions<Session> sessions_;
  TcpAcceptor acceptor_;
};

}  // namespace statmill
