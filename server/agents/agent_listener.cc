// See agent_listener.h.
#include "server/agents/agent_listener.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <fstream>
#include <utility>

#include "proto/istatd_lines.h"

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

  void take(std::string_view lines, const LineSender& sender, Timestamp now,
            const std::function<void(int parity)>& mark) override {
    batch_.clear();
    batch_.set_sender(sender);
    parse_istatd_lines(lines, batch_);
    const uint64_t accepted = table_.apply_marked(batch_, now, mark);
    account_.bytes.add(lines.size());
    intake_.settle(batch_, account_, accepted, now);
  }

 private:
  Table& table_;
  Intake& intake_;
  const ListenerAccount account_;
  Batch batch_;  // its memory is kept
};

Error setting_error(ErrorCode code, std::string_view setting, std::string why) {
  return {code, std::string(setting) + ": " + std::move(why)};
}

// Text of one line; a token is at least so long that nobody tries all.
Result<std::string> read_token(const std::string& path) {
  constexpr size_t kTokenBytesMin = 16;
  std::ifstream file(path);
  std::string token;
  if (!std::getline(file, token))
    return setting_error(ErrorCode::kInvalid, "agent.token_file " + path, "cannot be read, or is empty");
  if (token.size() < kTokenBytesMin || token.size() > kTokenBytesMax)
    return setting_error(ErrorCode::kInvalid, "agent.token_file " + path,
                         "its first line must have 16 to 512 bytes");
  return token;
}

}  // namespace

struct AgentListener::Worker {
  explicit Worker(const Services& of) : intake(of.table, of.intake) {}

  AgentDesk desk;
  TableIntake intake;
  std::optional<AgentSession::Services> sessions_use;
  asio::io_context loop{1};
  asio::executor_work_guard<asio::io_context::executor_type> work = make_work_guard(loop);
  std::vector<std::weak_ptr<AgentSession>> sessions;  // confined to the worker's thread
  size_t prune_at = 64;
  bool is_stopping = false;  // likewise
  std::thread thread;
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
  if (!options_.token_file.empty()) {
    auto token = read_token(options_.token_file);
    if (!token) return token.error();
    token_ = std::move(*token);
  }
  if (options_.certificate_file.empty() != options_.key_file.empty())
    return setting_error(ErrorCode::kInvalid, "agent.certificate, agent.key", "one without the other");
  if (options_.certificate_file.empty()) return Status::ok();
  auto tls = server_tls(options_.certificate_file, options_.key_file);
  if (!tls) return tls.error();
  tls_ = std::move(*tls);
  return Status::ok();
}

Status AgentListener::open() {
  const Endpoint& listen = *options_.listen;
  if (Status read = read_secrets(); !read) return read;
  boost::system::error_code error;
  const auto address = asio::ip::make_address(listen.host == "localhost" ? "127.0.0.1" : listen.host, error);
  if (error) return setting_error(ErrorCode::kInvalid, "agent.listen " + listen.text(), "not an IP address");
  if (!tls_ && !address.is_loopback() && !options_.allows_plain) {
    return setting_error(
        ErrorCode::kInvalid, "agent.listen " + listen.text(),
        "beyond the loopback it needs --agent.certificate and --agent.key, or --agent.plain");
  }
  for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i) {
    auto worker = std::make_unique<Worker>(services_);
    worker->sessions_use.emplace(AgentSession::Services{{services_.book, worker->intake, token_},
                                                        options_.idle_timeout,
                                                        bytes_,
                                                        unwelcome_,
                                                        idle_,
                                                        services_.clock});
    workers_.push_back(std::move(worker));
  }
  if (Status bound = bind(address); !bound) {
    acceptor_.reset();
    workers_.clear();  // last: sockets end before their loops
    return bound;
  }
  for (auto& worker : workers_) worker->thread = std::thread([this, &worker] { run(*worker); });
  asio::post(workers_.front()->loop, [this] { accept(); });
  services_.log.info("agent listener", {{"address", endpoint_.text()},
                                        {"threads", workers_.size()},
                                        {"tls", tls_ ? "on" : "off"},
                                        {"token", token_.empty() ? "none" : "needed"}});
  return Status::ok();
}

Status AgentListener::bind(const asio::ip::address& address) {
  boost::system::error_code error;
  acceptor_ = std::make_unique<tcp::acceptor>(workers_.front()->loop);
  const tcp::endpoint wanted(address, options_.listen->port);
  acceptor_->open(wanted.protocol(), error);
  if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_->bind(wanted, error);
  if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return setting_error(error == asio::error::address_in_use ? ErrorCode::kBusy : ErrorCode::kIo,
                         "agent.listen " + options_.listen->text(), error.message());
  }
  endpoint_ = {address.to_string(), acceptor_->local_endpoint(error).port()};
  return Status::ok();
}

void AgentListener::run(Worker& worker) {
  try {
    worker.loop.run();
  } catch (const std::exception& e) {  // Asio's own faults: a thread that ends silently would be worse
    services_.log.error("agent thread failed", {{"why", e.what()}});
    std::abort();
  }
}

void AgentListener::accept() {
  if (!acceptor_->is_open()) return;
  Worker& worker = *workers_[next_worker_++ % workers_.size()];
  acceptor_->async_accept(
      worker.loop, [this, &worker](const boost::system::error_code& error, tcp::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (error) {  // out of descriptors, most likely: let some be given back
          connections_refused_.add();
          accept_pause_ =
              std::make_unique<asio::steady_timer>(workers_.front()->loop, std::chrono::milliseconds(100));
          accept_pause_->async_wait([this](const boost::system::error_code& stopped) {
            if (!stopped) accept();
          });
          return;
        }
        if (open_.load(std::memory_order_relaxed) >= options_.connections_max) {
          connections_refused_.add();
        } else {
          connections_.add();
          auto moved = std::make_shared<tcp::socket>(std::move(socket));
          asio::post(worker.loop, [this, &worker, moved] { adopt(worker, std::move(*moved)); });
        }
        accept();
      });
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
  if (worker.sessions.size() >= worker.prune_at) {
    std::erase_if(worker.sessions, [](const auto& weak) { return weak.expired(); });
    worker.prune_at = 2 * worker.sessions.size() + 64;
  }
  worker.sessions.push_back(session);
  session->start();
}

void AgentListener::stop() {
  if (workers_.empty()) return;
  asio::post(workers_.front()->loop, [this] {
    accept_pause_.reset();
    boost::system::error_code ignored;
    acceptor_->close(ignored);
  });
  for (auto& worker : workers_) {
    asio::post(worker->loop, [&worker = *worker] {
      worker.is_stopping = true;
      for (const auto& weak : worker.sessions) {
        if (const auto session = weak.lock()) session->stop();
      }
      worker.work.reset();
    });
  }
  for (auto& worker : workers_) worker->thread.join();
  acceptor_.reset();
  workers_.clear();
}

}  // namespace statmill
