// See http_server.h.
#include "server/http/http_server.h"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <string>

#include "base/check.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Connections over the limit that are told so at the same time; those beyond are only closed.
constexpr size_t kTurnedAwayMax = 64;
// After a failed accept, mostly for want of file descriptors: no use to try again at once.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

Error listen_error(const Endpoint& endpoint, const error_code& error) {
  const bool is_busy = error == asio::error::address_in_use;
  const std::string reason = is_busy ? "address already in use" : error.message();
  return Error{is_busy ? ErrorCode::kBusy : ErrorCode::kIo, reason}.with("http.listen " + endpoint.text());
}

Result<tcp::endpoint> resolve(asio::io_context& io, const Endpoint& endpoint) {
  error_code error;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(endpoint.host, std::to_string(endpoint.port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return Error{ErrorCode::kInvalid, "no such host"}.with("http.listen " + endpoint.text());
  }
  return found.begin()->endpoint();
}

Status listen(tcp::acceptor& acceptor, const tcp::endpoint& address, const Endpoint& endpoint) {
  error_code error;
  acceptor.open(address.protocol(), error);
  // A restart must not wait for connections of the last run to leave TIME_WAIT.
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(address, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) return listen_error(endpoint, error);
  return Status::ok();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::open(asio::io_context& io, const Endpoint& endpoint,
                                                     const HttpServices& services, HttpOptions options) {
  const Result<tcp::endpoint> address = resolve(io, endpoint);
  if (!address) return address.error();
  tcp::acceptor acceptor(asio::make_strand(io));
  if (Status status = listen(acceptor, *address, endpoint); !status) return status.error();
  error_code error;
  const tcp::endpoint local = acceptor.local_endpoint(error);
  if (error) return listen_error(endpoint, error);
  Parts parts{io, std::move(acceptor), Endpoint{local.address().to_string(), local.port()}, options};
  auto server = std::make_unique<HttpServer>(std::move(parts), services);
  asio::post(server->acceptor_.get_executor(), [raw = server.get()] { raw->accept(); });
  return server;
}

HttpServer::HttpServer(Parts parts, const HttpServices& services)
    : io_(parts.io),
      acceptor_(std::move(parts.acceptor)),
      accept_pause_(acceptor_.get_executor()),
      local_endpoint_(std::move(parts.local_endpoint)),
      options_(parts.options),
      counters_(services.registry),
      budget_(options_.buffered_bytes_max),
      router_(services),
      context_{router_, options_, services.clock, counters_, budget_, sessions_} {}

HttpServer::~HttpServer() { SM_CHECK(sessions_.size() == 0); }

void HttpServer::stop() {
  asio::post(acceptor_.get_executor(), [this] {
    is_stopping_ = true;
    error_code ignored;  // closed is closed
    acceptor_.close(ignored);
    accept_pause_.cancel();
    for (const auto& session : sessions_.sessions()) session->stop();
  });
}

void HttpServer::accept() {
  if (is_stopping_) return;
  acceptor_.async_accept(asio::make_strand(io_), [this](error_code error, tcp::socket socket) {
    if (is_stopping_) return;
    if (error) {
      counters_.accept_failures.add();
      return pause_accepting();
    }
    take(std::move(socket));
    accept();
  });
}

void HttpServer::take(tcp::socket socket) {
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
