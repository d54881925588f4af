#include "ingest/agents/agent_listener.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <ranges>
#include <utility>

#include "base/net/event_thread.h"
#include "base/token_file.h"
#include "ingest/peer.h"

namespace statmill {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kSetting = "agent.listen";

}  // namespace

struct AgentListener::Worker {
  explicit Worker(const SessionLimit& limit) : sessions(limit) {}

  EventThread thread;  // first: the others use its loop
  AgentBuffers buffers;
  std::unique_ptr<AgentHost> host;
  std::optional<AgentSession::Services> session_services;
  LiveSessions<AgentSession> sessions;
  bool is_stopping = false;  // confined to the thread
};

AgentListener::AgentListener(AgentOptions options, const Services& services)
    : options_(std::move(options)),
      services_(services),
      connections_(
          services.registry.counter("statmill.agent_connections", "Connections of agents accepted.")),
      connections_refused_(services.registry, "statmill.agent_connections_refused",
                           "Connections of agents closed at once, by reason.", {}),
      bytes_(services.registry.counter("statmill.agent_bytes", "Bytes of the agent stream received.")),
      handshake_failures_(
          services.registry.counter("statmill.agent_handshake_failures",
                                    "Connections of agents that ended before the server sent a welcome.")),
      idle_(services.registry.counter(
          "statmill.agent_connections_idle",
          "Connections of agents closed because no hello, or later nothing, came in time.")),
      token_("agent.token_file", options_.token_file),
      tls_("agent", options_.tls),
      filter_(options_.networks),
      limit_(options_.connections_max, options_.per_address_max),
      agent_log_(services.log, services.clock),
      handshake_log_(services.log, services.clock, std::string(kSetting)) {}

AgentListener::~AgentListener() { stop(); }

Status AgentListener::reload(const AgentOptions& options) {
  if (Status token = token_.load(); !token) return token;
  if (Status tls = tls_.load(); !tls) return tls;
  filter_.set(options.networks);
  return Status::ok();
}

Status AgentListener::open() {
  if (Status loaded = reload(options_); !loaded) return loaded;
  if (Status checked = check_plain(); !checked) return checked;
  Status bound = make_workers();
  if (bound) bound = acceptor_->bind(kSetting, *options_.listen);
  if (!bound) {
    acceptor_.reset();
    workers_.clear();  // last: sockets must be closed before their loops end
    return bound;
  }
  endpoint_ = acceptor_->endpoint();
  for (auto& worker : workers_)
    worker->thread.start(services_.log, std::string(kSetting), services_.watchdog);
  asio::post(workers_.front()->thread.loop(), [this] { acceptor_->accept(); });
  services_.log.info("agent listener", {{"address", endpoint_.text()},
                                        {"threads", workers_.size()},
                                        {"tls", tls_.is_on() ? "on" : "off"},
                                        {"token", token_.token().empty() ? "none" : "required"}});
  return Status::ok();
}

Status AgentListener::check_plain() const {
  const auto address = listen_address(kSetting, *options_.listen);
  return address ? tls_.check_plain(*options_.listen, *address, options_.allows_plain) : address.error();
}

Status AgentListener::make_workers() {
  std::vector<asio::io_context*> loops;
  for (size_t i = 0; i < agent_threads(options_.threads); ++i) {
    auto worker = std::make_unique<Worker>(limit_);
    auto host = services_.make_host(worker->thread.loop());
    if (!host) return host.error();
    worker->host = std::move(*host);
    worker->session_services.emplace(
        AgentSession::Services{{*worker->host, [this] { return token_.token(); }},
                               options_.hello_timeout,
                               options_.idle_timeout,
                               options_.room_poll,
                               bytes_,
                               handshake_failures_,
                               idle_,
                               agent_log_,
                               handshake_log_,
                               services_.clock});
    loops.push_back(&worker->thread.loop());
    workers_.push_back(std::move(worker));
  }
  acceptor_ = std::make_unique<TcpAcceptor>(
      std::move(loops),
      TcpAcceptor::Owner{
          .limit = limit_,
          .filter = &filter_,
          .refused = [this](ConnectionRefusal why) { connections_refused_.add(why); },
          .accepted = [this] { connections_.add(); },
          .adopt = [this](size_t i,
                          TcpAcceptor::Accepted accepted) { adopt(*workers_[i], std::move(accepted)); }});
  return Status::ok();
}

void AgentListener::adopt(Worker& worker, TcpAcceptor::Accepted accepted) {
  if (worker.is_stopping) return;
  const LineSender sender = line_sender(accepted.peer.address(), accepted.peer.port());
  worker.sessions
      .make(std::move(accepted.place), Wire(std::move(accepted.socket), tls_.context()), sender,
            worker.buffers, *worker.session_services)
      ->start();
}

void AgentListener::stop() {
  if (workers_.empty() || std::exchange(is_stopped_, true)) return;
  asio::post(workers_.front()->thread.loop(), [this] { acceptor_->close(); });
  // The first worker ends first: it hands connections to the others, which must still run to receive them.
  end_worker(*workers_.front());
  workers_.front()->thread.join();
  for (auto& worker : workers_ | std::views::drop(1)) end_worker(*worker);
  for (auto& worker : workers_) worker->thread.join();
}

void AgentListener::end_worker(Worker& worker) {
  asio::post(worker.thread.loop(), [&worker] {
    worker.is_stopping = true;
    worker.host->stop();
    worker.sessions.for_each([](AgentSession& session) { session.stop(); });
    worker.thread.release();
  });
}

}  // namespace statmill
