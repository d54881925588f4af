// HttpServer: listens on one address, TCP or unix, and serves each connection with a Session.
//
// It runs on the caller's io_context, which any number of threads may run; each session has its own strand.
// Slow requests, such as queries, run on the site's workers.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/live_sessions.h"
#include "base/net/network_filter.h"
#include "base/net/spare_descriptor.h"
#include "base/result.h"
#include "base/text.h"
#include "server/http/byte_budget.h"
#include "server/http/http_counters.h"
#include "server/http/http_listener.h"
#include "server/http/http_options.h"
#include "server/http/known_hosts.h"
#include "server/http/live_source.h"
#include "server/http/query_service.h"
#include "server/http/router.h"
#include "server/http/session.h"
#include "statmill/registry.h"

namespace statmill {

// Connections over the limit that may get an answer of the error, or that wait until an idle one is closed
// for them: one in kRejectedShare of the limit, 8 to 64. Further ones are just closed.
inline constexpr size_t kRejectedShare = 8;
inline size_t rejected_max(size_t connections_max) {
  return std::clamp<size_t>(connections_max / kRejectedShare, 8, 64);
}

// What a server serves. Servers with the same registry share their counters.
struct HttpSite {
  std::vector<Route> routes;
  Registry& registry;  // this and the rest must outlive the server
  const Clock& clock;
  HttpWorkers* workers = nullptr;         // nullptr: all requests but queries are answered on the event loop
  QueryService* queries = nullptr;        // nullptr: queries, too
  std::string_view list_path = "/";       // of the page that lists all routes; a string literal
  LiveSource* live = nullptr;             // nullptr: there are no live streams
  const CurrentAccess* access = nullptr;  // nullptr: every client may do everything, as at a unix socket
  const KnownHosts* hosts = nullptr;      // what Host fields may name; nullptr: anything, as at a unix socket
  Log* log = nullptr;                     // of requests that change something; nullptr: they have no lines
  const ServerTls* tls = nullptr;         // nullptr: plain text
  const NetworkFilter* filter = nullptr;  // which networks may connect; nullptr: all
};

// Thread-safe. To end it, call stop(), let the io_context run out of work, then destroy it.
class HttpServer {
 public:
  // Start listening; connections are served while `io` runs. `io` must outlive the server. Errors: those of
  // listen_tcp() and listen_unix().
  static Result<std::unique_ptr<HttpServer>> open(boost::asio::io_context& io, const Endpoint& endpoint,
                                                  HttpSite site, HttpOptions options = {});
  static Result<std::unique_ptr<HttpServer>> open_unix(boost::asio::io_context& io, const std::string& path,
                                                       HttpSite site, HttpOptions options = {});
  // Use open() or open_unix() instead.
  HttpServer(boost::asio::io_context& io, HttpListener listener, HttpSite site, HttpOptions options);
  // Requires: the io_context has run out of work after stop().
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Returns the TCP address; its port is the actual one if port 0 was requested.
  const Endpoint& local_endpoint() const { return local_endpoint_; }
  const std::string& socket_path() const { return socket_path_; }  // empty if it listens on TCP
  // What it serves, with the list of routes.
  std::span<const Route> routes() const { return router_.routes(); }
  // Bytes of bodies and answers that all connections hold. Thread-safe.
  size_t buffered_bytes() const { return budget_.reserved(); }

  // Stops accepting. Idle sessions end at once, others within stop_grace; the io_context then has no more
  // work.
  void stop();

 private:
  void accept();
  void serve(HttpSocket socket);
  bool close_idle(ConnectionRefusal refusal, const std::optional<AddressBytes>& client);
  void on_failure();

  boost::asio::io_context& io_;
  HttpAcceptor acceptor_;  // its executor is a strand, which runs accept, pause and stop
  boost::asio::steady_timer accept_pause_;
  HttpAcceptor::endpoint_type peer_;  // of the connection that is being accepted
  SpareDescriptor spare_;             // this, too, is confined to the acceptor's strand
  const Endpoint local_endpoint_;
  const std::string socket_path_;
  const HttpOptions options_;
  HttpCounters counters_;
  ByteBudget budget_;
  LiveSessions<Session> sessions_;
  const Router router_;
  std::optional<RequestLog> log_;
  std::optional<HandshakeLog> handshake_log_;
  SessionContext context_;
  const NetworkFilter* const filter_;  // nullptr: all may connect
  bool is_stopping_ = false;           // confined to the acceptor's strand
};

}  // namespace statmill
