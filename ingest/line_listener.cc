// See line_listener.h.
#include "ingest/line_listener.h"

#include <unistd.h>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <boost/asio/post.hpp>

#include "base/unix_socket.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

constexpr std::string_view kLocalAccount = "unix";
// As open to this host's users as a port of the loopback is.
constexpr mode_t kSocketMode = 0666;

Labels listener_label(std::string_view account) { return {{"listener", std::string(account)}}; }

DatagramReceiver::Services datagram_services(const LineListener::Services& services, Dialect& dialect,
                                             std::string_view account) {
  return {services.intake,
          dialect,
          services.intake.account(account),
          services.registry.counter("statmill.udp_datagrams", "Datagrams received.", listener_label(account)),
          services.registry.counter("statmill.udp_datagrams_dropped",
                                    "Datagrams that the kernel dropped because the receive buffer was full.",
                                    listener_label(account)),
          services.clock};
}

// Whether a UDP port is free. Sockets with SO_REUSEPORT would join those of another process without a word;
// one without it is refused.
boost::system::error_code probe_udp(asio::io_context& loop, const asio::ip::address& address, uint16_t port) {
  boost::system::error_code error;
  udp::socket socket(loop);
  const udp::endpoint endpoint(address, port);
  socket.open(endpoint.protocol(), error);
  if (!error) socket.bind(endpoint, error);
  return error;
}

}  // namespace

LineListener::LineListener(LineOptions options, std::unique_ptr<Dialect> dialect, const Services& services)
    : options_(std::move(options)),
      dialect_(std::move(dialect)),
      log_(services.log),
      book_(services.book),
      clock_(services.clock),
      connections_(services.registry.counter("statmill.line_connections",
                                             "TCP connections of senders accepted.",
                                             listener_label(dialect_->traits().tcp_account))),
      connections_refused_(services.registry.counter(
          "statmill.line_connections_refused",
          "TCP connections closed at once: over --line.connections, or no descriptor left.",
          listener_label(dialect_->traits().tcp_account))),
      session_services_{
          services.intake,
          *dialect_,
          services.intake.account(dialect_->traits().tcp_account),
          book_,
          options_.idle_timeout,
          services.registry.counter("statmill.line_connections_idle",
                                    "TCP connections closed because nothing came for --line.idle_timeout.",
                                    listener_label(dialect_->traits().tcp_account)),
          services.clock},
      udp_services_(datagram_services(services, *dialect_, dialect_->traits().udp_account)) {
  if (!options_.socket_path.empty())
    local_services_.emplace(datagram_services(services, *dialect_, kLocalAccount));
}

LineListener::~LineListener() { stop(); }

Status LineListener::open() {
  boost::system::error_code error;
  const std::string& host = options_.listen.host;
  const bool has_port = !host.empty();
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (has_port && error)
    return Error{ErrorCode::kInvalid, std::string(dialect_->traits().setting) + " " + options_.listen.text() +
                                          ": not an IP address"};
  for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i)
    workers_.push_back(std::make_unique<Worker>(*dialect_));
  Status bound = has_port ? bind(address) : Status::ok();
  if (bound && local_services_) bound = bind_local();
  if (!bound) {
    local_.reset();
    acceptor_.reset();
    workers_.clear();  // last: sockets end before their loops
    return bound;
  }
  for (auto& worker : workers_) {
    if (worker->udp) worker->udp->start();
    worker->thread = std::thread([this, &worker] { run(*worker); });
  }
  asio::post(workers_.front()->loop, [this] {
    if (acceptor_) accept();
    if (local_) local_->start();
    if (dialect_->traits().tick_interval > Duration(0)) {
      ticker_ = std::make_unique<asio::steady_timer>(workers_.front()->loop);
      tick();
    }
  });
  return Status::ok();
}

Error LineListener::bind_error(std::string_view transport, const boost::system::error_code& error) const {
  const bool busy = error == asio::error::address_in_use;
  return {busy ? ErrorCode::kBusy : ErrorCode::kIo, std::string(dialect_->traits().setting) + " " +
                                                        options_.listen.text() + " (" +
                                                        std::string(transport) + "): " + error.message()};
}

Status LineListener::bind(const asio::ip::address& address) {
  constexpr int kTriesMax = 16;  // with port 0 the port that TCP got may be taken for UDP: take another
  asio::io_context& loop = workers_.front()->loop;
  boost::system::error_code error;
  for (int i = 0; i < kTriesMax; ++i) {
    acceptor_ = std::make_unique<tcp::acceptor>(loop);
    const tcp::endpoint wanted(address, options_.listen.port);
    acceptor_->open(wanted.protocol(), error);
    if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_->bind(wanted, error);
    if (!error) acceptor_->listen(asio::socket_base::max_listen_connections, error);
    if (error) return bind_error("TCP", error);
    const uint16_t port = acceptor_->local_endpoint(error).port();
    endpoint_ = {address.to_string(), port};
    error = probe_udp(loop, address, port);
    if (!error) return bind_udp(address, port);
    if (options_.listen.port != 0) break;
  }
  return bind_error("UDP", error);
}

Status LineListener::bind_udp(const asio::ip::address& address, uint16_t port) {
  size_t buffer_bytes = 0;
  for (auto& worker : workers_) {
    boost::system::error_code error;
    udp::socket socket(worker->loop);
    const udp::endpoint endpoint(address, port);
    socket.open(endpoint.protocol(), error);
    if (!error) socket.set_option(ReusePort(true), error);
    if (!error) socket.bind(endpoint, error);
    if (!error) socket.non_blocking(true, error);
    if (error) return bind_error("UDP", error);
    buffer_bytes = prepare_datagram_socket(socket.native_handle(), options_.udp_buffer_bytes);
    worker->udp = std::make_unique<DatagramReceiver>(std::move(socket), udp_services_);
  }
  log_.info("line listener", {{"setting", dialect_->traits().setting},
                              {"address", endpoint_.text()},
                              {"threads", workers_.size()},
                              {"udp_buffer_bytes", buffer_bytes}});
  return Status::ok();
}

Status LineListener::bind_local() {
  asio::local::datagram_protocol::socket socket(workers_.front()->loop);
  boost::system::error_code error;
  socket.open(asio::local::datagram_protocol(), error);
  if (!error) socket.non_blocking(true, error);
  Status bound = error ? Status(Error{ErrorCode::kIo, error.message()})
                       : bind_unix_socket(socket.native_handle(), options_.socket_path, kSocketMode);
  if (!bound) return Error(bound.error()).with("line.socket " + options_.socket_path);
  prepare_datagram_socket(socket.native_handle(), options_.udp_buffer_bytes);
  local_ = std::make_unique<DatagramReceiver>(std::move(socket), *local_services_);
  log_.info("line socket", {{"path", options_.socket_path}});
  return Status::ok();
}

void LineListener::run(Worker& worker) {
  try {
    worker.loop.run();
  } catch (const std::exception& e) {  // Asio's own faults: a thread that ends silently would be worse
    log_.error("ingest thread failed", {{"why", e.what()}});
    std::abort();
  }
}

void LineListener::accept() {
  if (!acceptor_->is_open()) return;  // closed by stop() while the last connection was on its way here
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
        if (book_.count() >= options_.connections_max) {
          connections_refused_.add();
        } else {
          connections_.add();
          auto moved = std::make_shared<tcp::socket>(std::move(socket));
          asio::post(worker.loop, [this, &worker, moved] { adopt(worker, std::move(*moved)); });
        }
        accept();
      });
}

void LineListener::adopt(Worker& worker, tcp::socket socket) {
  const auto session = std::make_shared<LineSession>(std::move(socket), worker.desk, session_services_);
  if (worker.stopping) {
    session->drain();
    return;
  }
  if (worker.sessions.size() >= worker.prune_at) {
    std::erase_if(worker.sessions, [](const auto& weak) { return weak.expired(); });
    worker.prune_at = 2 * worker.sessions.size() + 64;
  }
  worker.sessions.push_back(session);
  session->start();
}

void LineListener::tick() {
  dialect_->tick(clock_.wall());
  ticker_->expires_after(dialect_->traits().tick_interval);
  ticker_->async_wait([this](const boost::system::error_code& stopped) {
    if (!stopped && ticker_) tick();  // it may have been due already when stop() took it away
  });
}

// Connections that the kernel has taken and we have not yet: what they sent counts.
void LineListener::drain_backlog() {
  constexpr int kBacklogMax = 4096;  // as many as the kernel keeps
  accept_pause_.reset();
  boost::system::error_code error;
  acceptor_->non_blocking(true, error);
  for (int i = 0; !error && i < kBacklogMax; ++i) {
    tcp::socket socket(workers_.front()->loop);
    acceptor_->accept(socket, error);
    if (error) break;
    connections_.add();
    std::make_shared<LineSession>(std::move(socket), workers_.front()->desk, session_services_)->drain();
  }
  acceptor_->close(error);
}

void LineListener::stop() {
  if (workers_.empty()) return;
  asio::post(workers_.front()->loop, [this] {
    ticker_.reset();
    if (local_) {
      ::unlink(options_.socket_path.c_str());
      local_->drain();
    }
    if (acceptor_) drain_backlog();
  });
  for (auto& worker : workers_) {
    Worker* w = worker.get();
    asio::post(w->loop, [w] {
      w->stopping = true;
      if (w->udp) w->udp->drain();
      for (const auto& weak : w->sessions) {
        if (const auto session = weak.lock()) session->drain();
      }
      w->work.reset();
    });
  }
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
  dialect_->close(clock_.wall());
  accept_pause_.reset();
  acceptor_.reset();
  local_.reset();
  workers_.clear();
}

}  // namespace statmill
