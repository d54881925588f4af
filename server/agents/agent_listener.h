// AgentListener: the port of the acknowledged agent stream, on its own threads.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/net/tcp_acceptor.h"
#include "base/net/watchdog.h"
#include "base/text.h"
#include "ingest/intake.h"
#include "server/agents/agent_options.h"
#include "server/agents/agent_session.h"
#include "server/table/table.h"

namespace statmill {

// Thread-safe: open, then stop, from one thread.
class AgentListener {
 public:
  struct Services {  // all must outlive it
    AgentRegistry& book;
    Table& table;
    Intake& intake;
    Registry& registry;
    const Clock& clock;
    Log& log;
    Watchdog* watchdog = nullptr;  // null: nobody watches its loops
  };
  AgentListener(AgentOptions options, const Services& services);
  ~AgentListener();

  // Binds and starts the threads. Errors: kBusy (address in use), kInvalid (no such address; files that are
  // not what they should be; plain beyond the loopback), kIo.
  Status open();
  Endpoint endpoint() const { return endpoint_; }
  // Ends all connections and the threads. What was taken and not acknowledged is sent again to the next
  // start. The loops stay until the listener is destroyed: a tick that is under way may still tell a
  // connection what is durable, and nothing comes of it. Destroy it when no tick comes any more.
  void stop();

 private:
  struct Worker;
  Status read_secrets();
  Status check_plain() const;
  void make_workers();
  void adopt(Worker& worker, boost::asio::ip::tcp::socket socket);
  static void end(Worker& worker);

  const AgentOptions options_;
  const Services services_;
  Counter& connections_;
  Counter& connections_refused_;
  Counter& bytes_;
  Counter& unwelcome_;
  Counter& idle_;
  std::string token_;
  std::unique_ptr<boost::asio::ssl::context> tls_;  // null: plain
  // Sessions alive: written by all workers, read by the first; a moment's error is no harm: relaxed.
  std::atomic<size_t> open_{0};
  Endpoint endpoint_;
  bool is_stopped_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;  // sessions end with their loops, and use all of the above
  std::unique_ptr<TcpAcceptor> acceptor_;         // on the first worker's loop
};

}  // namespace statmill
