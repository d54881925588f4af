// LineListener: the port of one dialect of lines, UDP and TCP, on its own threads; and a unix socket for
// datagrams, where it is given a path.
//
// Each ingest thread has its own event loop, UDP socket (SO_REUSEPORT) and share of the TCP connections, so
// nothing is shared between them but the table.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "ingest/datagram_receiver.h"
#include "ingest/line_session.h"

namespace statmill {

struct LineOptions {
  Endpoint listen;     // --line.listen and the like; port 0: any free one, for TCP and UDP; no host: no port
  size_t threads = 1;  // --line.threads, of each listener
  size_t connections_max = 10'000;  // --line.connections, of all listeners: more are closed at once
  Duration idle_timeout = std::chrono::minutes(10);  // --line.idle_timeout, of TCP connections; 0: none
  size_t udp_buffer_bytes = 32 << 20;                // --line.udp_buffer, asked of the kernel for each socket
  std::string socket_path = {};                      // --line.socket; empty: none
};

// Thread-safe: open, then stop, from one thread.
class LineListener {
 public:
  struct Services {  // all must outlive it
    Intake& intake;
    Registry& registry;
    ConnectionBook& book;  // of all listeners
    const Clock& clock;
    Log& log;
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
    boost::asio::io_context loop{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work = make_work_guard(loop);
    std::unique_ptr<DatagramReceiver> udp;
    std::vector<std::weak_ptr<LineSession>> sessions;  // confined to the worker's thread
    size_t prune_at = 64;
    bool stopping = false;  // likewise
    std::thread thread;
  };
  Status bind(const boost::asio::ip::address& address);
  Status bind_udp(const boost::asio::ip::address& address, uint16_t port);
  Status bind_local();
  Error bind_error(std::string_view transport, const boost::system::error_code& error) const;
  void accept();
  void drain_backlog();
  void adopt(Worker& worker, boost::asio::ip::tcp::socket socket);
  void tick();
  void run(Worker& worker);

  const LineOptions options_;
  const std::unique_ptr<Dialect> dialect_;
  Log& log_;
  ConnectionBook& book_;
  const Clock& clock_;
  Counter& connections_;
  Counter& connections_refused_;
  LineSession::Services session_services_;
  DatagramReceiver::Services udp_services_;
  std::optional<DatagramReceiver::Services> local_services_;  // of the unix socket, if there is one
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<boost::asio::ip::tcp::acceptor> acceptor_;  // on the first worker's loop
  std::unique_ptr<DatagramReceiver> local_;                   // likewise
  std::unique_ptr<boost::asio::steady_timer> accept_pause_;
  std::unique_ptr<boost::asio::steady_timer>
      ticker_;  // on the first worker's loop; null: the dialect needs none
  size_t next_worker_ = 0;
  Endpoint endpoint_;
};

}  // namespace statmill
