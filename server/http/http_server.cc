#include "server/http/http_server.h"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <utility>

#include "base/check.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Connections over the limit that are told so at the same time; those beyond are only closed.
constexpr size_t kTurnedAwayMax = 64;
// After a failed accept, mostly for want of file descriptors: no use to try again at once.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

Result<std::unique_ptr<HttpServer>> serve(asio::io_context& io, Result<HttpListener> listener, HttpSite site,
                                          HttpOptions options) {
  if (!listener) return listener.error();
  return std::make_unique<HttpServer>(io, std::move(*listener), std::move(site), options);
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::open(asio::io_context& io, const Endpoint& endpoint,
                                                     HttpSite site, HttpOptions options) {
  return serve(io, listen_tcp(io, endpoint), std::move(site), options);
}

Result<std::unique_ptr<HttpServer>> HttpServer::open_unix(asio::io_context& io, const std::string& path,
                                                          HttpSite site, HttpOptions options) {
  return serve(io, listen_unix(io, path), std::move(site), options);
}

HttpServer::HttpServer(asio::io_context& io, HttpListener listener, HttpSite site, HttpOptions options)
    : io_(io),
      acceptor_(std::move(listener.acceptor)),
      accept_pause_(acceptor_.get_executor()),
      local_endpoint_(std::move(listener.local_endpoint)),
      socket_path_(std::move(listener.socket_path)),
      options_(options),
      counters_(site.registry),
      budget_(options_.buffered_bytes_max),
      router_(std::move(site.routes)),
      context_{router_, options_, site.clock, counters_, budget_, sessions_, site.workers} {
  asio::post(acceptor_.get_executor(), [this] { accept(); });
}

HttpServer::~HttpServer() { SM_CHECK(sessions_.size() == 0); }

void HttpServer::stop() {
  asio::post(acceptor_.get_executor(), [this] {
    is_stopping_ = true;
    // While it still listens: a file that nobody listens to may be another server's the next moment.
    if (!socket_path_.empty()) ::unlink(socket_path_.c_str());
    error_code ignored;  // closed is closed
    acceptor_.close(ignored);
    accept_pause_.cancel();
    for (const auto& session : sessions_.sessions()) session->stop();
  });
}

void HttpServer::accept() {
  if (is_stopping_) return;
  acceptor_.async_accept(asio::make_strand(io_), [this](error_code error, HttpSocket socket) {
    if (is_stopping_) return;
    if (error) {
      counters_.accept_failures.add();
      return pause_accepting();
    }
    take(std::move(socket));
    accept();
  });
}

void HttpServer::take(HttpSocket socket) {
  const size_t open = sessions_.size();
  if (open >= options_.connections_max + kTurnedAwayMax) {
    counters_.refused(HttpRefusal::kConnectionLimit).add();
    return;  // closes the socket
  }
  const auto session = std::make_shared<Session>(std::move(socket), context_);
  if (open >= options_.connections_max) {
    session->turn_away(HttpRefusal::kConnectionLimit);
  } else {
    session->run();
  }
}

void HttpServer::pause_accepting() {
  accept_pause_.expires_after(kAcceptPause);
  accept_pause_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

}  // namespace statmill
