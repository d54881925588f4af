// TcpAcceptor: a TCP port, and who gets its connections.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace statmill {

// The address of an endpoint that is listened to: an IP address, or localhost (127.0.0.1). Errors: kInvalid,
// naming the setting.
Result<boost::asio::ip::address> listen_address(std::string_view setting, const Endpoint& endpoint);

// Deals its connections to event loops in turn. Confined to the thread of the first loop once accept() is
// called; whoever destroys it must have ended that thread.
class TcpAcceptor {
 public:
  struct Owner {
    // Called on the first loop. False: a connection is closed at once, and `refused` called.
    std::function<bool()> has_room;
    // Also for one that the process had no descriptor for.
    std::function<void()> refused;
    // Called on the first loop for each connection that is dealt out.
    std::function<void()> accepted;
    // Called on the loop of that index, with a connection of its own.
    std::function<void(size_t loop, boost::asio::ip::tcp::socket socket)> adopt;
  };
  // The loops must outlive it; there is one at least.
  TcpAcceptor(std::vector<boost::asio::io_context*> loops, Owner owner);

  // Listens. Port 0: any free one. Errors: as listen_address; kBusy (address in use), kIo, naming the
  // setting.
  Status bind(std::string_view setting, const Endpoint& listen);
  // What it is bound to. Requires: bind.
  const boost::asio::ip::tcp::endpoint& local() const { return local_; }
  Endpoint endpoint() const { return {local_.address().to_string(), local_.port()}; }
  // Accepts connections from now on. Requires: bind.
  void accept();
  // Accepts no more. Gives `take` the connections that the kernel has taken by now and accept() has not yet.
  void drain(const std::function<void(boost::asio::ip::tcp::socket)>& take);
  // Accepts no more; the kernel ends what it has taken.
  void close();

 private:
  void pause();

  const std::vector<boost::asio::io_context*> loops_;
  const Owner owner_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_timer_;
  size_t next_loop_ = 0;
  boost::asio::ip::tcp::endpoint local_;
};

}  // namespace statmill
