// MetricsEndpoint: an HTTP server that answers only GET /metrics and GET /hindsight.
//
// Each connection serves one request. Limits on number, size and time keep connections from slowing
// the agent down.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "agent/recording/recording.h"
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
  // The same of a recording, which may be large. Only one is sent at a time, since it stays in memory for it.
  static constexpr std::chrono::seconds kRecordingLimit{60};

  struct Answers {
    std::function<std::string()> metrics;    // in Prometheus' format
    std::function<Recording()> hindsight{};  // empty: there is no /hindsight
  };
  // `io` and `registry` must outlive the endpoint.
  MetricsEndpoint(boost::asio::io_context& io, Registry& registry, Answers answers);

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
    Counter& recordings_refused;
    Counter& late;
  };

  const Answers answers_;
  bool sends_recording_ = false;
  Counters counters_;
  LiveSessions<Session> sessions_;
  TcpAcceptor acceptor_;
};

}  // namespace statmill
