// TcpAcceptor: listens on a TCP port and distributes the connections to event loops.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/net/network_filter.h"
#include "base/net/session_limit.h"
#include "base/net/spare_descriptor.h"
#include "base/result.h"
#include "base/text.h"

namespace statmill {

// Returns the IP address to listen on; "localhost" is 127.0.0.1. Errors: kInvalid, naming the setting, if the
// host is not an IP address.
Result<boost::asio::ip::address> listen_address(std::string_view setting, const Endpoint& endpoint);

// Assigns connections to the loops in turn. After accept(), use it only on the thread of the first loop; that
// thread must have ended before the acceptor is destroyed.
class TcpAcceptor {
 public:
  using Tcp = boost::asio::ip::tcp;

  struct Accepted {
    Tcp::socket socket;
    Tcp::endpoint peer;         // the socket no longer knows it if the peer is gone
    SessionLimit::Place place;  // counts from the accept on
  };
  struct Owner {
    SessionLimit limit;                     // of the sessions that the owner makes
    const NetworkFilter* filter = nullptr;  // null: all addresses may connect; must outlive the acceptor
    // Called on the first loop when a connection was closed at once.
    std::function<void(ConnectionRefusal)> refused;
    // Called on the first loop for each connection that is passed to `adopt`.
    std::function<void()> accepted;
    // Called on loop number `loop` with a connection, which it then owns.
    std::function<void(size_t loop, Accepted accepted)> adopt;
  };
  // Requires: at least one loop. The loops must outlive it.
  TcpAcceptor(std::vector<boost::asio::io_context*> loops, Owner owner);

  // Binds and listens. Port 0 means any free port. Errors: those of listen_address(); kBusy (address in use);
  // kIo, naming the setting.
  Status bind(std::string_view setting, const Endpoint& listen);
  // The address it is bound to. Requires: bind() has succeeded.
  const Tcp::endpoint& local() const { return local_; }
  Endpoint endpoint() const { return {local_.address().to_string(), local_.port()}; }
  // Starts to accept connections. Requires: bind() has succeeded.
  void accept();
  // Stops accepting. Passes to `adopt` the connections that the kernel has already established and accept()
  // has not, without a look at the limit.
  void drain(const std::function<void(Accepted)>& adopt);
  // Stops accepting. The kernel resets the connections that it has already established.
  void close();

 private:
  void on_accepted(size_t loop, Tcp::socket socket);
  void on_failure();

  const std::vector<boost::asio::io_context*> loops_;
  const Owner owner_;
  Tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_timer_;
  SpareDescriptor spare_;
  size_t next_loop_ = 0;
  Tcp::endpoint local_;
  Tcp::endpoint peer_;  // of the connection that is being accepted
};

}  // namespace statmill
