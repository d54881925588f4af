// LocalAcceptor: accepts the connections of a unix stream socket, which all users of this host may open.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "base/net/session_limit.h"
#include "base/result.h"

namespace statmill {

// Confined to the thread of its loop.
class LocalAcceptor {
 public:
  using Socket = boost::asio::local::stream_protocol::socket;
  using Adopt = std::function<void(Socket socket, SessionLimit::Place place)>;

  struct Owner {
    SessionLimit limit;                              // all users of the socket count as one address
    std::function<void(ConnectionRefusal)> refused;  // called when a connection was closed at once
    Adopt adopt;                                     // called with each connection, which the owner then owns
  };
  // The loop must outlive it.
  LocalAcceptor(boost::asio::io_context& loop, Owner owner);

  // Binds and listens; the socket is open to all users. Errors: those of bind_unix_socket(), with the
  // setting.
  Status bind(std::string_view setting, const std::string& path);
  // Starts to accept connections. Requires: bind() has succeeded.
  void accept();
  // Stops accepting and removes the socket. Passes to `adopt` the connections that the kernel has already
  // established, without a look at the limit.
  void drain(const Adopt& adopt);

 private:
  static constexpr int kBacklog = 1024;

  void on_accepted(Socket socket);
  void on_failure();

  boost::asio::io_context& loop_;
  const Owner owner_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer pause_timer_;
  std::string path_;
};

}  // namespace statmill
