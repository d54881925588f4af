// See http_listener.h.
#include "server/http/http_listener.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using unix_stream = asio::local::stream_protocol;
using boost::system::error_code;

constexpr mode_t kSocketMode = 0600;

static_assert(sizeof(sockaddr_un::sun_path) == kSocketPathBytesMax + 1);

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

Endpoint local_endpoint(const HttpAcceptor& acceptor, error_code& error) {
  const auto local = acceptor.local_endpoint(error);
  tcp::endpoint address;
  if (error || local.size() > address.capacity()) return {};
  std::memcpy(address.data(), local.data(), local.size());
  address.resize(local.size());
  return {address.address().to_string(), address.port()};
}

// What is at the path once binding to it has failed: a socket that nobody listens to is removed.
Status remove_stale_socket(asio::io_context& io, const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return Error{ErrorCode::kIo, std::strerror(errno)};
  if (!S_ISSOCK(found.st_mode)) return Error{ErrorCode::kInvalid, "a file that is no socket is in the way"};
  error_code error;
  unix_stream::socket probe(io);
  probe.connect(unix_stream::endpoint(path), error);
  if (error != asio::error::connection_refused)
    return Error{ErrorCode::kBusy, "another server listens there"};
  if (::unlink(path.c_str()) != 0) return Error{ErrorCode::kIo, std::strerror(errno)};
  return Status::ok();
}

// The mode is that of the socket before it has a name: there is no moment at which others can connect.
error_code bind_privately(HttpAcceptor& acceptor, const std::string& path) {
  error_code error;
  if (::fchmod(acceptor.native_handle(), kSocketMode) != 0) return {errno, boost::system::system_category()};
  acceptor.bind(unix_stream::endpoint(path), error);
  return error;
}

}  // namespace

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
  if (path.size() > kSocketPathBytesMax) {
    return Error{ErrorCode::kInvalid, "the path has " + std::to_string(path.size()) +
                                          " bytes, and the path of a socket may have " +
                                          std::to_string(kSocketPathBytesMax)}
        .with(context);
  }
  HttpListener listener{HttpAcceptor(asio::make_strand(io)), {}, path};
  HttpAcceptor& acceptor = listener.acceptor;
  error_code error;
  acceptor.open(unix_stream(), error);
  if (!error) error = bind_privately(acceptor, path);
  if (error == asio::error::address_in_use) {
    if (Status removed = remove_stale_socket(io, path); !removed) return Error(removed.error()).with(context);
    error = bind_privately(acceptor, path);
  }
  if (!error) acceptor.listen(HttpAcceptor::max_listen_connections, error);
  if (error) return Error{ErrorCode::kIo, error.message()}.with(context);
  return listener;
}

}  // namespace statmill
