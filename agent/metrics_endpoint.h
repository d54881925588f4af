// MetricsEndpoint: answers GET /metrics, and nothing else, with a text that it asks for.
//
// Every connection is for one request, and none can hold the agent up: few at a time, small and short-lived.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/net/tcp_acceptor.h"
#include "base/result.h"
#include "base/text.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to the thread that runs the io_context.
class MetricsEndpoint {
 public:
  static constexpr size_t kConnectionsMax = 16;     // at once; more are closed
  static constexpr size_t kRequestBytesMax = 8192;  // of a header; there is no body
  static constexpr std::chrono::seconds kLimit{5};  // from the connection to the end of the answer

  using Text = std::function<std::string()>;
  // Both must outlive it. `text` is in Prometheus' format.
  MetricsEndpoint(boost::asio::io_context& io, Registry& registry, Text text);

  // Errors: kBusy (address in use), kInvalid (no such address), kIo.
  Status open(const Endpoint& listen);
  Endpoint endpoint() const { return acceptor_.endpoint(); }
  // Takes no more connections.
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
  size_t open_ = 0;  // connections
  TcpAcceptor acceptor_;
};

}  // namespace statmill
