#include "base/net/tcp_acceptor.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace statmill {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// How long to wait after an accept that failed for good: an immediate retry would fail, too.
constexpr auto kPause = std::chrono::milliseconds(100);

// The number of established connections that wait to be accepted; 0 if the kernel does not say.
uint32_t waiting_connections(int listening) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(listening, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_unacked : 0;
}

}  // namespace

Result<asio::ip::address> listen_address(std::string_view setting, const Endpoint& endpoint) {
  error_code error;
  const auto address =
      asio::ip::make_address(endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host, error);
  if (error)
    return Error{ErrorCode::kInvalid, std::string(setting) + " " + endpoint.text() + ": not an IP address"};
  return address;
}

TcpAcceptor::TcpAcceptor(std::vector<asio::io_context*> loops, Owner owner)
    : loops_(std::move(loops)),
      owner_(std::move(owner)),
      acceptor_(*loops_.front()),
      pause_timer_(*loops_.front()) {}

Status TcpAcceptor::bind(std::string_view setting, const Endpoint& listen) {
  const auto address = listen_address(setting, listen);
  if (!address) return address.error();
  error_code error;
  const tcp::endpoint wanted(*address, listen.port);
  acceptor_.open(wanted.protocol(), error);
  // Lets a restart bind while connections of the last run are in TIME_WAIT.
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(wanted, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) local_ = acceptor_.local_endpoint(error);
  if (!error) return Status::ok();
  const ErrorCode code = error == asio::error::address_in_use ? ErrorCode::kBusy : ErrorCode::kIo;
  return Error{code, std::string(setting) + " " + listen.text() + ": " + error.message()};
}

void TcpAcceptor::accept() {
  if (!acceptor_.is_open()) return;  // closed while the last connection was being handled
  const size_t loop = next_loop_++ % loops_.size();
  acceptor_.async_accept(*loops_[loop], peer_, [this, loop](const error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) return on_failure();
    on_accepted(loop, std::move(socket));
    accept();
  });
}

void TcpAcceptor::on_accepted(size_t loop, tcp::socket socket) {
  const AddressBytes client = address_bytes(peer_.address());
  if (owner_.filter != nullptr && !owner_.filter->admits(client))
    return owner_.refused(ConnectionRefusal::kDenied);
  if (const auto refusal = owner_.limit.refusal(client)) return owner_.refused(*refusal);
  owner_.accepted();
  auto accepted = std::make_shared<Accepted>(Accepted{std::move(socket), peer_, owner_.limit.enter(client)});
  asio::post(*loops_[loop], [this, loop, accepted] { owner_.adopt(loop, std::move(*accepted)); });
}

// Most likely no descriptor is left.
void TcpAcceptor::on_failure() {
  owner_.refused(ConnectionRefusal::kDescriptors);
  if (spare_.drop_connection(acceptor_.native_handle())) return accept();
  pause_timer_.expires_after(kPause);
  pause_timer_.async_wait([this](const error_code& stopped) {
    if (!stopped) accept();
  });
}

void TcpAcceptor::drain(const std::function<void(Accepted)>& adopt) {
  error_code error;
  acceptor_.non_blocking(true, error);
  // Ignores connections that arrive meanwhile: a sender that always reconnects would keep this loop going.
  for (uint32_t left = waiting_connections(acceptor_.native_handle()); !error && left > 0; --left) {
    tcp::socket socket(*loops_.front());
    acceptor_.accept(socket, peer_, error);
    if (!error) adopt({std::move(socket), peer_, owner_.limit.enter(address_bytes(peer_.address()))});
  }
  close();
}

void TcpAcceptor::close() {
  pause_timer_.cancel();
  error_code ignored;  // nothing is left to do
  acceptor_.close(ignored);
}

}  // namespace statmill
