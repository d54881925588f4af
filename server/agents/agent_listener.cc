#include "server/agents/agent_listener.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <ranges>
#include <utility>

#include "base/net/event_thread.h"
#include "base/token_file.h"
#include "base/weak_list.h"

namespace statmill {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

// The lines of agents into the table, on the account of a listener of their own.
class TableIntake final : public AgentIntake {
 public:
  TableIntake(Table& table, Intake& intake)
      : table_(table), intake_(intake), account_(intake.account("agent")) {}

  bool has_room() const override { return table_.has_room(); }

  void take(const AgentLines& lines, const AgentRegistry::Mark& mark) override {
    const uint64_t accepted = apply_agent_lines(table_, lines, batch_, mark);
    account_.bytes.add(lines.text.size());
    intake_.settle(batch_, account_, accepted, lines.now);
  }

 private:
  Table& table_;
  Intake& intake_;
  const ListenerAccount account_;
  Batch batch_;  // its memory is kept
};

constexpr std::string_view kSetting = "agent.listen";

Error setting_error(ErrorCode code, std::string_view setting, std::string why) {
  return {code, std::string(setting) + ": " + std::move(why)};
}

}  // namespace

struct AgentListener::Worker {
  explicit Worker(const Services& of) : intake(of.table, of.intake) {}

  AgentDesk desk;
  TableIntake intake;
  std::optional<AgentSession::Services> sessions_use;
  EventThread thread;
  WeakList<AgentSession> sessions;  // confined to the thread
  bool is_stopping = false;         // likewise
};

AgentListener::AgentListener(AgentOptions options, const Services& services)
    : options_(std::move(options)),
      services_(services),
      connections_(
          services.registry.counter("statmill.agent_connections", "Connections of agents accepted.")),
      connections_refused_(services.registry.counter(
          "statmill.agent_connections_refused",
          "Connections of agents closed at once: over --agent.connections, or no descriptor left.")),
      bytes_(services.registry.counter("statmill.agent_bytes", "Bytes of the agent stream received.")),
      unwelcome_(services.registry.counter("statmill.agent_connections_unwelcome",
                                           "Connections of agents that ended before they were welcome.")),
      idle_(services.registry.counter("statmill.agent_connections_idle",
                                      "Connections of agents closed because nothing came.")) {}

AgentListener::~AgentListener() { stop(); }

Status AgentListener::read_secrets() {
  auto token = read_token_file("agent.token_file", options_.token_file);
  if (!token) return token.error();
  token_ = std::move(*token);
  if (options_.certificate_file.empty() != options_.key_file.empty())
    return setting_error(ErrorCode::kInvalid, "agent.certificate, agent.key", "one without the other");
  if (options_.certificate_file.empty()) return Status::ok();
  auto tls = server_tls(options_.certificate_file, options_.key_file);
  if (!tls) return tls.error();
  tls_ = std::move(*tls);
  return Status::ok();
}

Status AgentListener::open() {
  if (Status read = read_secrets(); !read) return read;
  if (Status checked = check_plain(); !checked) return checked;
  make_workers();
  if (Status bound = acceptor_->bind(kSetting, *options_.listen); !bound) {
    acceptor_.reset();
    workers_.clear();  // last: sockets end before their loops
    return bound;
  }
  endpoint_ = acceptor_->endpoint();
  for (auto& worker : workers_)
    worker->thread.start(services_.log, std::string(kSetting), services_.watchdog);
  asio::post(workers_.front()->thread.loop(), [this] { acceptor_->accept(); });
  services_.log.info("agent listener", {{"address", endpoint_.text()},
                                        {"threads", workers_.size()},
                                        {"tls", tls_ ? "on" : "off"},
                                        {"token", token_.empty() ? "none" : "needed"}});
  return Status::ok();
}

Status AgentListener::check_plain() const {
  const auto address = listen_address(kSetting, *options_.listen);
  if (!address) return address.error();
  if (tls_ || address->is_loopback() || options_.allows_plain) return Status::ok();
  return setting_error(ErrorCode::kInvalid, "agent.listen " + options_.listen->text(),
                       "beyond the loopback it needs --agent.certificate and --agent.key, or --agent.plain");
}

void AgentListener::make_workers() {
  std::vector<asio::io_context*> loops;
  for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i) {
    auto worker = std::make_unique<Worker>(services_);
    worker->sessions_use.emplace(AgentSession::Services{{services_.book, worker->intake, token_},
                                                        options_.idle_timeout,
                                                        bytes_,
                                                        unwelcome_,
                                                        idle_,
                                                        services_.clock});
    loops.push_back(&worker->thread.loop());
    workers_.push_back(std::move(worker));
  }
  acceptor_ = std::make_unique<TcpAcceptor>(
      std::move(loops),
      TcpAcceptor::Owner{
          .has_room = [this] { return open_.load(std::memory_order_relaxed) < options_.connections_max; },
          .refused = [this] { connections_refused_.add(); },
          .accepted = [this] { connections_.add(); },
          .adopt = [this](size_t i, tcp::socket socket) { adopt(*workers_[i], std::move(socket)); }});
}

void AgentListener::adopt(Worker& worker, tcp::socket socket) {
  if (worker.is_stopping) return;
  open_.fetch_add(1, std::memory_order_relaxed);
  const auto leave = [this](AgentSession* session) {
    delete session;
    open_.fetch_sub(1, std::memory_order_relaxed);
  };
  const std::shared_ptr<AgentSession> session(
      new AgentSession(Wire(std::move(socket), tls_.get()), worker.desk, *worker.sessions_use), leave);
  worker.sessions.add(session);
  session->start();
}

void AgentListener::stop() {
  if (workers_.empty() || std::exchange(is_stopped_, true)) return;
  asio::post(workers_.front()->thread.loop(), [this] { acceptor_->close(); });
  // The first ends before the others: it deals connections to them, and they run until all are dealt.
  end(*workers_.front());
  workers_.front()->thread.join();
  for (auto& worker : workers_ | std::views::drop(1)) end(*worker);
  for (auto& worker : workers_) worker->thread.join();
}

void AgentListener::end(Worker& worker) {
  asio::post(worker.thread.loop(), [&worker] {
    worker.is_stopping = true;
    worker.sessions.for_each([](AgentSession& session) { session.stop(); });
    worker.thread.release();
  });
}

}  // namespace statmill
