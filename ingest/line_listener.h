// LineListener: serves the port of one dialect, UDP and TCP, on its own threads, and
// optionally unix sockets for datagrams and for connections.
//
// Each ingest thread has its own event loop, UDP socket (SO_REUSEPORT), parsers and share of the TCP
// connections. The threads share the intake's sink (a server's table), the counters, the dialect's state
// (statsd: one lock per batch), the intake's RefusalLog (one lock per batch with refusals) and the
// ConnectionRegistry (one lock per connection and metadata line).
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/net/event_thread.h"
#include "base/net/live_sessions.h"
#include "base/net/network_filter.h"
#include "base/net/repeating_timer.h"
#include "base/net/tcp_acceptor.h"
#include "base/net/tls_context.h"
#include "base/text.h"
#include "ingest/connection_refusals.h"
#include "ingest/datagram_receiver.h"
#include "ingest/line_options.h"
#include "ingest/line_session.h"
#include "ingest/local_acceptor.h"

namespace statmill {

// One thread calls open(), then stop().
class LineListener {
 public:
  struct Services {  // all must outlive it
    Intake& intake;
    Registry& registry;
    ConnectionRegistry& connection_registry;  // of all listeners
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // watches the event loops; may be nullptr
  };
  LineListener(LineOptions options, std::unique_ptr<Dialect> dialect, const Services& services);
  ~LineListener();

  // Binds and starts the threads. Errors: kBusy (address in use), kInvalid (no such address), kIo.
  Status open();
  Endpoint endpoint() const { return endpoint_; }
  // Reads the certificate again, for connections from now on, and uses the allowed and denied networks of
  // `options`. After an error, what was read before stays. Thread-safe.
  Status reload(const LineOptions& options);
  // Reads what the kernel has already received, closes all sockets and joins the threads.
  void stop();

 private:
  struct Worker {
    Worker(Dialect& dialect, const SessionLimit& limit)
        : buffers{{}, dialect.make_parser()}, sessions(limit) {}

    ReadBuffers buffers;
    LiveSessions<LineSession> sessions;
    EventThread thread;
    std::unique_ptr<DatagramReceiver> udp;
    bool is_stopping = false;  // confined to the thread
  };
  Status bind();
  Status bind_udp(const boost::asio::ip::address& address, uint16_t port);
  Status bind_local();
  Status bind_local_streams();
  // Returns the services of the connections of one kind. Registers their counters.
  LineSession::Services session_services(const Services& services, std::string_view account,
                                         StreamFormat streams);
  Error udp_error(const boost::system::error_code& error) const;
  std::unique_ptr<TcpAcceptor> make_acceptor();
  std::shared_ptr<LineSession> make_session(Worker& worker, TcpAcceptor::Accepted accepted);
  std::shared_ptr<LineSession> make_local_session(LocalAcceptor::Socket socket, SessionLimit::Place place);
  static void end(Worker& worker);

  const LineOptions options_;
  const std::unique_ptr<Dialect> dialect_;
  Log& log_;
  Watchdog* const watchdog_;
  const SessionLimit connection_limit_;
  ServerTls tls_;  // of the TCP port
  NetworkFilter filter_;
  const Clock& clock_;
  Counter& connections_;
  const ConnectionRefusals connections_refused_;
  LogLimiter http_log_{std::chrono::seconds(10)};
  LogLimiter foreign_log_{std::chrono::seconds(10)};
  HandshakeLog handshake_log_;
  LineSession::Services session_services_;
  std::optional<LineSession::Services> stream_services_;      // set if there is a unix stream socket
  std::optional<DatagramReceiver::Services> udp_services_;    // set if the dialect has a UDP port
  std::optional<DatagramReceiver::Services> local_services_;  // set if there is a unix socket
  std::vector<std::unique_ptr<Worker>> workers_;
  // These run on the first worker's loop.
  std::unique_ptr<TcpAcceptor> acceptor_;          // nullptr: no port
  std::unique_ptr<DatagramReceiver> local_;        // nullptr: no unix socket
  std::unique_ptr<LocalAcceptor> local_acceptor_;  // nullptr: no unix stream socket
  std::unique_ptr<RepeatingTimer> timer_;          // nullptr: the dialect needs no ticks
  Endpoint endpoint_;
};

}  // namespace statmill
