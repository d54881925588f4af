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

// How long to wait after an accept that failed for good: an immediate retry would fail, too.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

Result<std::unique_ptr<HttpServer>> make_server(asio::io_context& io, Result<HttpListener> listener,
                                                HttpSite site, HttpOptions options) {
  if (!listener) return listener.error();
  return std::make_unique<HttpServer>(io, std::move(*listener), std::move(site), options);
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::open(asio::io_context& io, const Endpoint& endpoint,
                                                     HttpSite site, HttpOptions options) {
  return make_server(io, listen_tcp(io, endpoint), std::move(site), options);
}

Result<std::unique_ptr<HttpServer>> HttpServer::open_unix(asio::io_context& io, const std::string& path,
                                                          HttpSite site, HttpOptions options) {
  return make_server(io, listen_unix(io, path), std::move(site), options);
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
      sessions_(SessionLimit(options_.connections_max, options_.per_address_max)),
      router_(std::move(site.routes), site.list_path),
      context_{router_,   options_,    site.clock, counters_, budget_,  site.workers, site.queries,
               site.live, site.access, site.hosts, nullptr,   site.tls, nullptr},
      filter_(site.filter) {
  if (site.log != nullptr) {
    context_.log = &log_.emplace(*site.log, site.clock, options_.access_log);
    context_.handshake_log = &handshake_log_.emplace(*site.log, site.clock, "http.listen");
  }
  asio::post(acceptor_.get_executor(), [this] { accept(); });
}

HttpServer::~HttpServer() { SM_CHECK(sessions_.limit().count() == 0); }

void HttpServer::stop() {
  asio::post(acceptor_.get_executor(), [this] {
    is_stopping_ = true;
    // Remove the file before closing: once nobody listens, another server may replace it at any moment.
    if (!socket_path_.empty()) ::unlink(socket_path_.c_str());
    error_code ignored;
    acceptor_.close(ignored);
    accept_pause_.cancel();
    // All at once: the thread of the first query that ends would otherwise begin one whose session has not
    // stopped it yet.
    if (context_.queries != nullptr) context_.queries->board().stop_all(QueryStop::kServer);
    sessions_.for_each([](Session& session) { session.stop(); });
  });
}

void HttpServer::accept() {
  if (is_stopping_) return;
  acceptor_.async_accept(asio::make_strand(io_), peer_, [this](error_code error, HttpSocket socket) {
    if (is_stopping_) return;
    if (error) return on_failure();
    serve(std::move(socket));
    accept();
  });
}

void HttpServer::serve(HttpSocket socket) {
  const SessionLimit& limit = sessions_.limit();
  if (limit.count() >= limit.max() + rejected_max(limit.max())) {
    counters_.refused(HttpRefusal::kConnectionLimit).add();
    return;  // closes the socket
  }
  const auto peer = tcp_endpoint(peer_);
  const auto client = client_address(peer);
  if (filter_ != nullptr && client && !filter_->admits(*client))
    return counters_.refused(HttpRefusal::kDenied).add();
  const auto full = limit.refusal(client);
  const bool is_served = !full || close_idle(*full, client);
  const auto refusal =
      full == ConnectionRefusal::kAddressLimit ? HttpRefusal::kAddressLimit : HttpRefusal::kConnectionLimit;
  // The answer would need a handshake, which costs more than the connection.
  if (!is_served && context_.tls != nullptr && context_.tls->is_on()) return counters_.refused(refusal).add();
  const auto session = sessions_.make(limit.enter(client), std::move(socket), peer, context_);
  is_served ? session->run() : session->reject(refusal);
}

// Closes an idle connection: of this client, if it has too many, else of the client that has most; the one
// that has been idle for longest. Returns false if none is idle.
bool HttpServer::close_idle(ConnectionRefusal refusal, const std::optional<AddressBytes>& client) {
  std::pair<size_t, SteadyTime> worst{0, SteadyTime::max()};  // how many its client has, and idle since
  std::shared_ptr<Session> idle;
  sessions_.for_each([&](Session& session) {
    const auto& other = session.client();
    if (refusal == ConnectionRefusal::kAddressLimit &&
        (!other || client_network(*other) != client_network(*client)))
      return;
    const auto since = session.idle_since();
    if (!since) return;
    const size_t count = other ? sessions_.limit().count_of(*other) : 0;
    if (idle != nullptr && (count < worst.first || (count == worst.first && *since >= worst.second))) return;
    worst = {count, *since};
    idle = session.shared_from_this();
  });
  if (idle == nullptr) return false;
  idle->close_idle();
  return true;
}

// Most likely no descriptor is left.
void HttpServer::on_failure() {
  counters_.accept_failures.add();
  if (spare_.drop_connection(acceptor_.native_handle())) return accept();
  accept_pause_.expires_after(kAcceptPause);
  accept_pause_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

}  // namespace statmill
