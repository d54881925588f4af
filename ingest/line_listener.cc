#include "ingest/line_listener.h"

#include <unistd.h>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/local/datagram_protocol.hpp>
#include <boost/asio/post.hpp>
#include <ranges>

#include "base/unix_socket.h"
#include "ingest/peer.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::ip::udp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// All users of this host may send, as to a port of the loopback interface.
constexpr mode_t kSocketMode = 0666;

Labels listener_label(std::string_view account) { return {{"listener", std::string(account)}}; }

DatagramReceiver::Services datagram_services(const LineListener::Services& services, Dialect& dialect,
                                             std::string_view account, const NetworkFilter& filter) {
  return {services.intake,
          dialect,
          services.intake.account(account),
          services.registry.counter("statmill.udp_datagrams", "Datagrams received.", listener_label(account)),
          services.registry.counter("statmill.udp_datagrams_dropped",
                                    "Datagrams that the kernel dropped because the receive buffer was full.",
                                    listener_label(account)),
          services.registry.counter("statmill.udp_datagrams_denied",
                                    "Datagrams left out because of --line.allow and --line.deny.",
                                    listener_label(account)),
          filter,
          services.clock};
}

// Returns an error unless the UDP port is free. Sockets with SO_REUSEPORT would silently share the port with
// those of another process; the kernel refuses one without it.
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
      watchdog_(services.watchdog),
      connection_limit_(services.connection_registry.limit()),
      tls_("line", options_.tls),
      filter_(options_.networks),
      clock_(services.clock),
      connections_(services.registry.counter("statmill.line_connections_accepted",
                                             "TCP connections of senders accepted.",
                                             listener_label(dialect_->traits().tcp_account))),
      connections_refused_(services.registry, "statmill.line_connections_refused",
                           "TCP connections of senders closed at once, by reason.",
                           listener_label(dialect_->traits().tcp_account)),
      handshake_log_(services.log, services.clock, std::string(dialect_->traits().setting)),
      session_services_(
          session_services(services, dialect_->traits().tcp_account, dialect_->traits().streams)) {
  if (!dialect_->traits().udp_account.empty())
    udp_services_.emplace(datagram_services(services, *dialect_, dialect_->traits().udp_account, filter_));
  if (!options_.socket_path.empty())
    local_services_.emplace(datagram_services(services, *dialect_, dialect_->traits().unix_account, filter_));
  if (!options_.stream_socket_path.empty())
    stream_services_.emplace(
        session_services(services, dialect_->traits().stream_account, dialect_->traits().unix_streams));
}

LineSession::Services LineListener::session_services(const Services& services, std::string_view account,
                                                     StreamFormat streams) {
  const auto counter = [&](std::string_view name, std::string_view help) -> Counter& {
    return services.registry.counter(name, help, listener_label(account));
  };
  return {services.intake,
          *dialect_,
          services.intake.account(account),
          streams,
          services.connection_registry,
          options_.handshake_timeout,
          options_.idle_timeout,
          counter("statmill.line_connections_idle",
                  "TCP connections closed after --line.idle_timeout without data."),
          counter("statmill.line_handshake_failures",
                  "TCP connections closed because their TLS handshake failed or took too long."),
          counter("statmill.line_connections_http",
                  "TCP connections closed because they begin with an HTTP request."),
          counter("statmill.line_connections_foreign",
                  "TCP connections closed because they speak another protocol than their port."),
          services.clock,
          log_,
          http_log_,
          foreign_log_,
          handshake_log_};
}

LineListener::~LineListener() { stop(); }

Status LineListener::reload(const LineOptions& options) {
  if (Status tls = tls_.load(); !tls) return tls;
  filter_.set(options.networks);
  return Status::ok();
}

Status LineListener::open() {
  if (Status loaded = tls_.load(); !loaded) return loaded;
  for (size_t i = 0; i < std::max<size_t>(1, options_.threads); ++i)
    workers_.push_back(std::make_unique<Worker>(*dialect_, connection_limit_));
  Status bound = options_.listen.host.empty() ? Status::ok() : bind();
  if (bound && local_services_) bound = bind_local();
  if (bound && stream_services_) bound = bind_local_streams();
  if (!bound) {
    local_.reset();
    local_acceptor_.reset();
    acceptor_.reset();
    workers_.clear();  // last, since sockets must be destroyed before their loops
    return bound;
  }
  if (const Duration interval = dialect_->traits().tick_interval; interval > Duration(0)) {
    timer_ = std::make_unique<RepeatingTimer>(
        workers_.front()->thread.loop(), [interval] { return interval; },
        [this] {
          const Running running("the dialect's tick");
          dialect_->tick(clock_.wall());
        });
  }
  for (auto& worker : workers_) {
    if (worker->udp) worker->udp->start();
    worker->thread.start(log_, std::string(dialect_->traits().setting), watchdog_);
  }
  asio::post(workers_.front()->thread.loop(), [this] {
    if (acceptor_) acceptor_->accept();
    if (local_) local_->start();
    if (local_acceptor_) local_acceptor_->accept();
    if (timer_) timer_->start();
  });
  return Status::ok();
}

Error LineListener::udp_error(const boost::system::error_code& error) const {
  const bool busy = error == asio::error::address_in_use;
  return {
      busy ? ErrorCode::kBusy : ErrorCode::kIo,
      std::string(dialect_->traits().setting) + " " + options_.listen.text() + " (UDP): " + error.message()};
}

std::unique_ptr<TcpAcceptor> LineListener::make_acceptor() {
  std::vector<asio::io_context*> loops;
  loops.reserve(workers_.size());
  for (auto& worker : workers_) loops.push_back(&worker->thread.loop());
  return std::make_unique<TcpAcceptor>(
      std::move(loops),
      TcpAcceptor::Owner{.limit = connection_limit_,
                         .filter = &filter_,
                         .refused = [this](ConnectionRefusal why) { connections_refused_.add(why); },
                         .accepted = [this] { connections_.add(); },
                         .adopt =
                             [this](size_t i, TcpAcceptor::Accepted accepted) {
                               const auto session = make_session(*workers_[i], std::move(accepted));
                               workers_[i]->is_stopping ? session->drain() : session->start();
                             }});
}

Status LineListener::bind() {
  constexpr int kTriesMax = 16;  // with port 0, the port that TCP got may be in use for UDP: try another
  boost::system::error_code error;
  for (int i = 0; i < kTriesMax; ++i) {
    acceptor_ = make_acceptor();
    if (Status bound = acceptor_->bind(dialect_->traits().setting, options_.listen); !bound) return bound;
    endpoint_ = acceptor_->endpoint();
    if (!udp_services_) {
      log_.info("line listener", {{"setting", dialect_->traits().setting},
                                  {"address", endpoint_.text()},
                                  {"threads", workers_.size()}});
      return Status::ok();
    }
    const tcp::endpoint& local = acceptor_->local();
    error = probe_udp(workers_.front()->thread.loop(), local.address(), local.port());
    if (!error) return bind_udp(local.address(), local.port());
    if (options_.listen.port != 0) break;
  }
  return udp_error(error);
}

Status LineListener::bind_udp(const asio::ip::address& address, uint16_t port) {
  size_t buffer_bytes = 0;
  for (auto& worker : workers_) {
    boost::system::error_code error;
    udp::socket socket(worker->thread.loop());
    const udp::endpoint endpoint(address, port);
    socket.open(endpoint.protocol(), error);
    if (!error) socket.set_option(ReusePort(true), error);
    if (!error) socket.bind(endpoint, error);
    if (!error) socket.non_blocking(true, error);
    if (error) return udp_error(error);
    buffer_bytes = prepare_datagram_socket(socket.native_handle(), options_.udp_buffer_bytes);
    worker->udp = std::make_unique<DatagramReceiver>(std::move(socket), *udp_services_);
  }
  log_.info("line listener", {{"setting", dialect_->traits().setting},
                              {"address", endpoint_.text()},
                              {"threads", workers_.size()},
                              {"udp_buffer_bytes", buffer_bytes}});
  return Status::ok();
}

Status LineListener::bind_local() {
  asio::local::datagram_protocol::socket socket(workers_.front()->thread.loop());
  boost::system::error_code error;
  socket.open(asio::local::datagram_protocol(), error);
  if (!error) socket.non_blocking(true, error);
  Status bound = error ? Status(Error{ErrorCode::kIo, error.message()})
                       : bind_unix_socket(socket.native_handle(), options_.socket_path, kSocketMode);
  if (!bound)
    return Error(bound.error())
        .with(std::string(dialect_->traits().socket_setting) + " " + options_.socket_path);
  prepare_datagram_socket(socket.native_handle(), options_.udp_buffer_bytes);
  local_ = std::make_unique<DatagramReceiver>(std::move(socket), *local_services_);
  log_.info("line socket", {{"path", options_.socket_path}});
  return Status::ok();
}

Status LineListener::bind_local_streams() {
  local_acceptor_ = std::make_unique<LocalAcceptor>(
      workers_.front()->thread.loop(),
      LocalAcceptor::Owner{.limit = connection_limit_,
                           .refused = [this](ConnectionRefusal why) { connections_refused_.add(why); },
                           .adopt =
                               [this](LocalAcceptor::Socket socket, SessionLimit::Place place) {
                                 connections_.add();
                                 make_local_session(std::move(socket), std::move(place))->start();
                               }});
  Status bound = local_acceptor_->bind(dialect_->traits().stream_socket_setting, options_.stream_socket_path);
  if (bound) log_.info("line stream socket", {{"path", options_.stream_socket_path}});
  return bound;
}

// Runs on the thread of the first worker.
std::shared_ptr<LineSession> LineListener::make_local_session(LocalAcceptor::Socket socket,
                                                              SessionLimit::Place place) {
  Worker& worker = *workers_.front();
  return worker.sessions.make(std::move(place), std::move(socket), LineSender::local(), nullptr,
                              worker.buffers, *stream_services_);
}

std::shared_ptr<LineSession> LineListener::make_session(Worker& worker, TcpAcceptor::Accepted accepted) {
  return worker.sessions.make(std::move(accepted.place), std::move(accepted.socket),
                              line_sender(accepted.peer.address(), accepted.peer.port()),
                              tls_.context().get(), worker.buffers, session_services_);
}

void LineListener::stop() {
  if (workers_.empty()) return;
  asio::post(workers_.front()->thread.loop(), [this] {
    if (timer_) timer_->stop();
    if (local_) {
      ::unlink(options_.socket_path.c_str());
      local_->drain();
    }
    if (local_acceptor_) {
      local_acceptor_->drain([this](LocalAcceptor::Socket socket, SessionLimit::Place place) {
        connections_.add();
        make_local_session(std::move(socket), std::move(place))->drain();
      });
    }
    if (!acceptor_) return;
    // Some connections are complete in the kernel but not yet accepted here: what they sent counts, too.
    acceptor_->drain([this](TcpAcceptor::Accepted accepted) {
      connections_.add();
      make_session(*workers_.front(), std::move(accepted))->drain();
    });
  });
  // The first worker ends before the others: it passes connections to them, and they must run until then.
  end(*workers_.front());
  workers_.front()->thread.join();
  for (auto& worker : workers_ | std::views::drop(1)) end(*worker);
  for (auto& worker : workers_) worker->thread.join();
  dialect_->close(clock_.wall());
  timer_.reset();
  acceptor_.reset();
  local_.reset();
  local_acceptor_.reset();
  workers_.clear();
}

void LineListener::end(Worker& worker) {
  asio::post(worker.thread.loop(), [&worker] {
    worker.is_stopping = true;
    if (worker.udp) worker.udp->drain();
    worker.sessions.for_each([](LineSession& session) { session.drain(); });
    worker.thread.release();
  });
}

}  // namespace statmill
