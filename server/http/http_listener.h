// HttpListener: what an HttpServer accepts its connections from: a TCP address, or a unix socket in the file
// system.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/text.h"
#include "base/unix_socket.h"

namespace statmill {

// Of either kind; everything behind the accept is the same.
using HttpAcceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;
using HttpSocket = boost::asio::generic::stream_protocol::socket;

struct HttpListener {
  HttpAcceptor acceptor;    // its executor is a strand
  Endpoint local_endpoint;  // of TCP: the port is the one the kernel chose when 0 was asked for
  std::string socket_path;  // of a unix socket; to be removed before the acceptor closes
};

// Errors, each with the address: kBusy when it is in use, kInvalid when the host is unknown, kIo.
Result<HttpListener> listen_tcp(boost::asio::io_context& io, const Endpoint& endpoint);

// The socket is this user's alone (mode 0600) from its first moment. A file that a dead server has left there
// is replaced. Errors, each with the path: kBusy when a server listens there, kInvalid when the path is too
// long or something else is there, kIo.
Result<HttpListener> listen_unix(boost::asio::io_context& io, const std::string& path);

}  // namespace statmill
