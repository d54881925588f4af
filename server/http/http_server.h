// HttpServer: listens at one address, TCP or unix, and serves every connection as a Session.
//
// Runs on an io_context that it is given, which any number of threads may run; each session is a strand of
// it. What takes long, as queries do, runs on the site's workers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/text.h"
#include "server/http/byte_budget.h"
#include "server/http/http_counters.h"
#include "server/http/http_listener.h"
#include "server/http/http_options.h"
#include "server/http/router.h"
#include "server/http/session.h"
#include "statmill/registry.h"

namespace statmill {

// What a server answers. Servers of one registry count together.
struct HttpSite {
  std::vector<Route> routes;
  Registry& registry;  // this and the rest must outlive the server
  const Clock& clock;
  HttpWorkers* workers = nullptr;  // null: all is answered on the event loop
};

// Thread-safe. To end it: stop(), let the io_context run dry, then destroy it.
class HttpServer {
 public:
  // Listens from its return on; connections are served while `io` runs. `io` must outlive the server.
  // Errors: as listen_tcp() and listen_unix() say.
  static Result<std::unique_ptr<HttpServer>> open(boost::asio::io_context& io, const Endpoint& endpoint,
                                                  HttpSite site, HttpOptions options = {});
  static Result<std::unique_ptr<HttpServer>> open_unix(boost::asio::io_context& io, const std::string& path,
                                                       HttpSite site, HttpOptions options = {});
  // For open() and open_unix() alone.
  HttpServer(boost::asio::io_context& io, HttpListener listener, HttpSite site, HttpOptions options);
  // Requires: the io_context has run dry after stop(); no session is left.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Where it listens by TCP; the port is the one the kernel chose when 0 was asked for.
  const Endpoint& local_endpoint() const { return local_endpoint_; }
  const std::string& socket_path() const { return socket_path_; }  // empty: it listens by TCP

  // Accepts no more; sessions end within stop_grace, idle ones at once. The io_context is then out of work.
  void stop();

 private:
  void accept();
  void take(HttpSocket socket);
  void pause_accepting();

  boost::asio::io_context& io_;
  HttpAcceptor acceptor_;  // its executor is a strand: accept, pause and stop run on it
  boost::asio::steady_timer accept_pause_;
  const Endpoint local_endpoint_;
  const std::string socket_path_;
  const HttpOptions options_;
  HttpCounters counters_;
  ByteBudget budget_;
  SessionList sessions_;
  const Router router_;
  SessionContext context_;
  bool is_stopping_ = false;  // confined to the acceptor's strand
};

}  // namespace statmill
