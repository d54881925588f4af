#include "tests/support/tls_connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <boost/asio/error.hpp>
#include <csignal>
#include <utility>

#include "base/check.h"

namespace statmill {

using State = TlsChannel::State;

TlsConnection TlsConnection::to(const Endpoint& endpoint, const std::string& authority) {
  std::signal(SIGPIPE, SIG_IGN);
  TlsConnection connection(TcpConnection::to(endpoint).release());
  const auto context = client_tls(authority);
  SM_CHECK(context.has_value());
  const int socket = connection.socket_.get();
  SM_CHECK(::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK) == 0);
  constexpr int kOn = 1;  // or the kernel keeps what follows the handshake until that is acknowledged
  SM_CHECK(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn) == 0);
  auto tls = std::make_unique<TlsChannel>(**context, socket, endpoint.host);
  auto outcome = tls->handshake();
  while (outcome.state != State::kDone) {
    if (!connection.wait(outcome.state)) return connection;
    outcome = tls->handshake();
  }
  connection.tls_ = std::move(tls);
  return connection;
}

bool TlsConnection::wait(State state) const {
  if (state == State::kFailed) return false;
  const int limit = static_cast<int>(std::chrono::milliseconds(kSocketTimeout).count());
  pollfd wanted{socket_.get(), static_cast<short>(state == State::kWaitRead ? POLLIN : POLLOUT), 0};
  return ::poll(&wanted, 1, limit) == 1;
}

bool TlsConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto outcome = tls_->write(bytes);
    bytes.remove_prefix(outcome.bytes);
    if (outcome.state != State::kDone && !wait(outcome.state)) return false;
  }
  return true;
}

std::string TlsConnection::receive_all(bool* is_cut) {
  std::string all;
  char room[4096];
  while (true) {
    const auto outcome = tls_->read(room);
    all.append(room, outcome.bytes);
    if (outcome.state == State::kDone || wait(outcome.state)) continue;
    if (is_cut != nullptr) *is_cut = outcome.fault != boost::asio::error::eof;
    return all;
  }
}

}  // namespace statmill
