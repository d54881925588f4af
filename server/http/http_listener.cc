#include "server/http/http_listener.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/strand.hpp>
#include <cstring>
#include <utility>

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using unix_stream = asio::local::stream_protocol;
using boost::system::error_code;

constexpr mode_t kSocketMode = 0600;

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
    return Error{ErrorCode::kNotFound, "no such host"}.with("http.listen " + endpoint.text());
  }
  return found.begin()->endpoint();
}

Endpoint local_endpoint(const HttpAcceptor& acceptor, error_code& error) {
  const auto local = acceptor.local_endpoint(error);
  const auto address = error ? std::nullopt : tcp_endpoint(local);
  return address ? Endpoint{address->address().to_string(), address->port()} : Endpoint{};
}

}  // namespace

std::optional<tcp::endpoint> tcp_endpoint(const HttpAcceptor::endpoint_type& endpoint) {
  tcp::endpoint address;
  const int family = endpoint.data()->sa_family;
  if ((family != AF_INET && family != AF_INET6) || endpoint.size() > address.capacity()) return std::nullopt;
  std::memcpy(address.data(), endpoint.data(), endpoint.size());
  address.resize(endpoint.size());
  return address;
}

std::optional<AddressBytes> client_address(const std::optional<tcp::endpoint>& peer) {
  return peer ? std::optional(address_bytes(peer->address())) : std::nullopt;
}

Result<HttpListener> listen_tcp(asio::io_context& io, const Endpoint& endpoint) {
  const Result<tcp::endpoint> address = resolve(io, endpoint);
  if (!address) return address.error();
  HttpListener listener{HttpAcceptor(asio::make_strand(io)), {}, {}};
  HttpAcceptor& acceptor = listener.acceptor;
  error_code error;
  acceptor.open(address->protocol(), error);
  // A restart must not wait for connections of the last run to leave TIME_WAIT.
  if (!error) acceptor.set_option(HttpAcceptor::reuse_address(true), error);
  if (!error) acceptor.bind(*address, error);
  if (!error) acceptor.listen(HttpAcceptor::max_listen_connections, error);
  if (!error) listener.local_endpoint = local_endpoint(acceptor, error);
  if (error) return listen_error(endpoint, error);
  return listener;
}

Result<HttpListener> listen_unix(asio::io_context& io, const std::string& path) {
  const std::string context = "admin.socket " + path;
  HttpListener listener{HttpAcceptor(asio::make_strand(io)), {}, path};
  HttpAcceptor& acceptor = listener.acceptor;
  error_code error;
  acceptor.open(unix_stream(), error);
  if (error) return Error{ErrorCode::kIo, error.message()}.with(context);
  if (Status bound = bind_unix_socket(acceptor.native_handle(), path, kSocketMode); !bound)
    return Error(bound.error()).with(context);
  acceptor.listen(HttpAcceptor::max_listen_connections, error);
  if (error) return Error{ErrorCode::kIo, error.message()}.with(context);
  return listener;
}

}  // namespace statmill
