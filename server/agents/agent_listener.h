// AgentListener: the port of the acknowledged agent stream, on its own threads.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "ingest/intake.h"
#include "server/agents/agent_session.h"
#include "server/table/table.h"

namespace statmill {

struct AgentOptions {
  std::optional<Endpoint> listen;                    // --agent.listen; none: off
  size_t threads = 1;                                // --agent.threads
  size_t connections_max = 10'000;                   // --agent.connections: more are closed at once
  Duration idle_timeout = std::chrono::minutes(10);  // --agent.idle_timeout; 0: none
  std::string token_file;                            // --agent.token_file; empty: any agent is welcome
  std::string certificate_file;                      // --agent.certificate; empty: no TLS
  std::string key_file;                              // --agent.key
  bool allows_plain = false;                         // --agent.plain: without TLS, beyond the loopback too
};

// Thread-safe: open, then stop, from one thread.
class AgentListener {
 public:
  struct Services {  // all must outlive it
    AgentBook& book;
    Table& table;
    Intake& intake;
    Registry& registry;
    const Clock& clock;
    Log& log;
  };
  AgentListener(AgentOptions options, const Services& services);
  ~AgentListener();

  // Binds and starts the threads. Errors: kBusy (address in use), kInvalid (no such address; files that are
  // not what they should be; plain beyond the loopback), kIo.
  Status open();
  Endpoint endpoint() const { return endpoint_; }
  // Ends all connections and the threads. What was taken and not acknowledged is sent again to the next
  // start.
  void stop();

 private:
  struct Worker;
  Status read_secrets();
  Status bind(const boost::asio::ip::address& address);
  void accept();
  void adopt(Worker& worker, boost::asio::ip::tcp::socket socket);
  void run(Worker& worker);

  const AgentOptions options_;
  const Services services_;
  Counter& connections_;
  Counter& connections_refused_;
  Counter& bytes_;
  Counter& unwelcome_;
  Counter& idle_;
  std::string token_;
  std::unique_ptr<boost::asio::ssl::context> tls_;  // null: plain
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<boost::asio::ip::tcp::acceptor> acceptor_;  // on the first worker's loop
  std::unique_ptr<boost::asio::steady_timer> accept_pause_;
  size_t next_worker_ = 0;
  // Sessions alive: written by all workers, read by the first; a moment's error is no harm: relaxed.
  std::atomic<size_t> open_{0};
  Endpoint endpoint_;
};

}  // namespace statmill
