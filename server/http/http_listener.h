// HttpListener: the listening socket of an HttpServer, TCP or unix.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "base/net/session_limit.h"
#include "base/result.h"
#include "base/text.h"
#include "base/unix_socket.h"

namespace statmill {

// Generic socket types, so that sessions do not depend on the kind of socket.
using HttpAcceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;
using HttpSocket = boost::asio::generic::stream_protocol::socket;

struct HttpListener {
  HttpAcceptor acceptor;    // its executor is a strand
  Endpoint local_endpoint;  // for TCP; the actual port if port 0 was requested
  std::string socket_path;  // for a unix socket; must be removed before the acceptor closes
};

// Returns the address of a peer; nullopt for unix sockets.
std::optional<boost::asio::ip::tcp::endpoint> tcp_endpoint(const HttpAcceptor::endpoint_type& endpoint);
// The same as the key of a limit.
std::optional<AddressBytes> client_address(const std::optional<boost::asio::ip::tcp::endpoint>& peer);

// Errors, each with the address: kBusy (in use), kNotFound (unknown host), kIo.
Result<HttpListener> listen_tcp(boost::asio::io_context& io, const Endpoint& endpoint);

// Creates the socket with mode 0600, so that other users can never open it. Replaces the socket file of a
// server that has died. Errors, each with the path: kBusy (a server listens there), kInvalid (the path is too
// long or is another kind of file), kIo.
Result<HttpListener> listen_unix(boost::asio::io_context& io, const std::string& path);

}  // namespace statmill
