// HttpServer: listens at one address and serves every connection as a Session.
//
// Runs on an io_context that it is given, which any number of threads may run; each session is a strand of
// it. Queries run right there: this io_context is not one that ingest depends on.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "base/result.h"
#include "base/text.h"
#include "server/http/byte_budget.h"
#include "server/http/http_counters.h"
#include "server/http/http_options.h"
#include "server/http/http_services.h"
#include "server/http/router.h"
#include "server/http/session.h"

namespace statmill {

// Thread-safe. To end it: stop(), let the io_context run dry, then destroy it.
class HttpServer {
  struct Parts {
    boost::asio::io_context& io;
    boost::asio::ip::tcp::acceptor acceptor;
    Endpoint local_endpoint;
    HttpOptions options;
  };

 public:
  // Listens from its return on; connections are served while `io` runs. `io` must outlive the server.
  // Errors, each with the address: kBusy when it is in use, kInvalid when the host is unknown, kIo.
  static Result<std::unique_ptr<HttpServer>> open(boost::asio::io_context& io, const Endpoint& endpoint,
                                                  const HttpServices& services, HttpOptions options = {});
  // For open() alone.
  HttpServer(Parts parts, const HttpServices& services);
  // Requires: the io_context has run dry after stop(); no session is left.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Where it listens; the port is the one the kernel chose when 0 was asked for.
  const Endpoint& local_endpoint() const { return local_endpoint_; }

  // Accepts no more; sessions end within stop_grace, idle ones at once. The io_context is then out of work.
  void stop();

 private:
  void accept();
  void take(boost::asio::ip::tcp::socket socket);
  void pause_accepting();

  boost::asio::io_context& io_;
  boost::asio::ip::tcp::acceptor acceptor_;  // its executor is a strand: accept, pause and stop run on it
  boost::asio::steady_timer accept_pause_;
  const Endpoint local_endpoint_;
  const HttpOptions options_;
  HttpCounters counters_;
  ByteBudget budget_;
  SessionList sessions_;
  const Router router_;
  SessionContext context_;
  bool is_stopping_ = false;  // confined to the acceptor's strand
};

}  // namespace statmill
