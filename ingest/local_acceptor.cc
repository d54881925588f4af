#include "ingest/local_acceptor.h"

#include <unistd.h>

#include <boost/asio/error.hpp>
#include <chrono>
#include <utility>

#include "base/unix_socket.h"

namespace statmill {
namespace {

// How long to wait after an accept that failed for good: an immediate retry would fail, too.
constexpr auto kPause = std::chrono::milliseconds(100);
// All users of this host may send, as to a port of the loopback interface.
constexpr mode_t kOpenToAll = 0666;

}  // namespace

LocalAcceptor::LocalAcceptor(boost::asio::io_context& loop, Owner owner)
    : loop_(loop), owner_(std::move(owner)), acceptor_(loop), pause_timer_(loop) {}

Status LocalAcceptor::bind(std::string_view setting, const std::string& path) {
  boost::system::error_code error;
  acceptor_.open(boost::asio::local::stream_protocol(), error);
  Status bound = error ? Status(Error{ErrorCode::kIo, error.message()})
                       : bind_unix_socket(acceptor_.native_handle(), path, kOpenToAll);
  if (bound) {
    acceptor_.listen(kBacklog, error);
    if (error) bound = Error{ErrorCode::kIo, error.message()};
  }
  if (!bound) return Error(bound.error()).with(std::string(setting) + " " + path);
  path_ = path;
  return Status::ok();
}

void LocalAcceptor::accept() {
  if (!acceptor_.is_open()) return;  // closed while the last connection was being handled
  acceptor_.async_accept(loop_, [this](const boost::system::error_code& error, Socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return on_failure();
    on_accepted(std::move(socket));
    accept();
  });
}

void LocalAcceptor::on_accepted(Socket socket) {
  if (const auto refusal = owner_.limit.refusal({})) return owner_.refused(*refusal);
  owner_.adopt(std::move(socket), owner_.limit.enter({}));
}

// Most likely no descriptor is left. The connections wait in the kernel meanwhile.
void LocalAcceptor::on_failure() {
  owner_.refused(ConnectionRefusal::kDescriptors);
  pause_timer_.expires_after(kPause);
  pause_timer_.async_wait([this](const boost::system::error_code& stopped) {
    if (!stopped) accept();
  });
}

void LocalAcceptor::drain(const Adopt& adopt) {
  ::unlink(path_.c_str());
  boost::system::error_code error;
  acceptor_.non_blocking(true, error);
  for (int left = kBacklog; !error && left > 0; --left) {  // a sender that always reconnects would never end
    Socket socket(loop_);
    acceptor_.accept(socket, error);
    if (!error) adopt(std::move(socket), owner_.limit.enter({}));
  }
  pause_timer_.cancel();
  acceptor_.close(error);  // nothing is left to do if it fails
}

}  // namespace statmill
