// LineListener: the port of one dialect of lines, UDP and TCP, on its own threads; and a unix socket for
// datagrams, where it is given a path.
//
// Each ingest thread has its own event loop, UDP socket (SO_REUSEPORT) and share of the TCP connections, so
// nothing is shared between them but the table.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/repeating_timer.h"
#include "base/net/tcp_acceptor.h"
#include "base/text.h"
#include "base/weak_list.h"
#include "ingest/datagram_receiver.h"
#include "ingest/line_options.h"
#include "ingest/line_session.h"

namespace statmill {

// Thread-safe: open, then stop, from one thread.
class LineListener {
 public:
  struct Services {  // all must outlive it
    Intake& intake;
    Registry& registry;
    ConnectionRegistry& book;  // of all listeners
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // null: nobody watches its loops
  };
  LineListener(LineOptions options, std::unique_ptr<Dialect> dialect, const Services& services);
  ~LineListener();

  // Binds and starts the threads. Errors: kBusy (address in use), kInvalid (no such address), kIo.
  Status open();
  Endpoint endpoint() const { return endpoint_; }
  // Takes what the kernel has already received, closes everything and ends the threads.
  void stop();

 private:
  struct Worker {
    explicit Worker(Dialect& dialect) : desk{{}, dialect.make_parser()} {}

    ReadDesk desk;
    EventThread thread;
    std::unique_ptr<DatagramReceiver> udp;
    WeakList<LineSession> sessions;  // confined to the thread
    bool is_stopping = false;        // likewise
  };
  Status bind();
  Status bind_udp(const boost::asio::ip::address& address, uint16_t port);
  Status bind_local();
  Error udp_error(const boost::system::error_code& error) const;
  std::unique_ptr<TcpAcceptor> make_acceptor();
  void adopt(Worker& worker, boost::asio::ip::tcp::socket socket);
  static void end(Worker& worker);

  const LineOptions options_;
  const std::unique_ptr<Dialect> dialect_;
  Log& log_;
  Watchdog* const watchdog_;
  ConnectionRegistry& book_;
  const Clock& clock_;
  Counter& connections_;
  Counter& connections_refused_;
  LineSession::Services session_services_;
  DatagramReceiver::Services udp_services_;
  std::optional<DatagramReceiver::Services> local_services_;  // of the unix socket, if there is one
  std::vector<std::unique_ptr<Worker>> workers_;
  // On the first worker's loop:
  std::unique_ptr<TcpAcceptor> acceptor_;    // null: no port
  std::unique_ptr<DatagramReceiver> local_;  // null: no unix socket
  std::unique_ptr<RepeatingTimer> timer_;    // null: the dialect needs none
  Endpoint endpoint_;
};

}  // namespace statmill
