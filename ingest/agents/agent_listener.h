// AgentListener: the TCP port that agents connect to. Runs its own threads.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/net/live_sessions.h"
#include "base/net/network_filter.h"
#include "base/net/tcp_acceptor.h"
#include "base/net/tls_context.h"
#include "base/net/watchdog.h"
#include "base/text.h"
#include "base/token_file.h"
#include "ingest/agents/agent_options.h"
#include "ingest/agents/agent_session.h"
#include "ingest/connection_refusals.h"

namespace statmill {

// Confined to one thread, which calls open(), then stop().
class AgentListener {
 public:
  struct Services {  // all must outlive it
    // Makes the host of one thread's connections, which lives as long as the thread's loop runs.
    std::function<Result<std::unique_ptr<AgentHost>>(boost::asio::io_context& loop)> make_host;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // nullptr: its loops are not watched
  };
  AgentListener(AgentOptions options, const Services& services);
  ~AgentListener();

  // Makes the hosts, binds and starts the threads. Errors: those of make_host, kBusy (address in use),
  // kInvalid (no such address, an invalid certificate, key or token file, or no TLS on an address that other
  // hosts can reach), kIo.
  Status open();
  Endpoint endpoint() const { return endpoint_; }
  // Reads token and certificate again, and uses the allowed and denied networks of `options`, for connections
  // from now on. After an error, what was read before stays. Thread-safe.
  Status reload(const AgentOptions& options);
  // Closes all connections and ends the threads. Agents send unacknowledged batches again after the next
  // start. A tick under way may still report durable batches to connections; that has no effect, but the
  // listener must not be destroyed before the last tick has ended.
  void stop();

 private:
  struct Worker;
  Status check_plain() const;
  Status make_workers();
  void adopt(Worker& worker, TcpAcceptor::Accepted accepted);
  static void end_worker(Worker& worker);

  const AgentOptions options_;
  const Services services_;
  Counter& connections_;
  const ConnectionRefusals connections_refused_;
  Counter& bytes_;
  Counter& handshake_failures_;
  Counter& idle_;
  TokenFile token_;
  ServerTls tls_;
  NetworkFilter filter_;
  const SessionLimit limit_;
  AgentLog agent_log_;
  HandshakeLog handshake_log_;
  Endpoint endpoint_;
  bool is_stopped_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;  // after all members that their sessions use
  std::unique_ptr<TcpAcceptor> acceptor_;         // runs on the first worker's loop
};

}  // namespace statmill
