#include "base/net/wire.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace statmill {

namespace asio = boost::asio;
using State = TlsChannel::State;

// The channel reads and writes a descriptor, whose number another socket may have once this one is closed:
// each function that uses it looks whether the socket is open.

Wire::Wire(Tcp::socket socket, std::shared_ptr<TlsContext> tls)
    : socket_(std::move(socket)), context_(std::move(tls)) {
  Fault ignored;  // a socket that fails here also fails at its first use
  socket_.non_blocking(true, ignored);
}

void Wire::accept(Done done) {
  if (context_ == nullptr) return post(std::move(done), {});
  tls_ = std::make_unique<TlsChannel>(*context_, socket_.native_handle());
  wait(State::kWaitRead,
       [this, done = std::move(done)](const Fault& fault) { fault ? done(fault) : handshake(done); });
}

void Wire::connect(const std::string& name, Done done) {
  if (context_ == nullptr) return post(std::move(done), {});
  tls_ = std::make_unique<TlsChannel>(*context_, socket_.native_handle(), name);
  wait(State::kWaitWrite,
       [this, done = std::move(done)](const Fault& fault) { fault ? done(fault) : handshake(done); });
}

void Wire::handshake(Done done) {
  if (!socket_.is_open()) return done(asio::error::operation_aborted);
  const TlsChannel::Outcome outcome = tls_->handshake();
  if (outcome.state == State::kDone || outcome.state == State::kFailed) return done(outcome.fault);
  wait(outcome.state,
       [this, done = std::move(done)](const Fault& fault) { fault ? done(fault) : handshake(done); });
}

template <class Call>
void Wire::wait(State state, Call call) {
  socket_.async_wait(state == State::kWaitWrite ? Tcp::socket::wait_write : Tcp::socket::wait_read,
                     std::move(call));
}

void Wire::post(Done done, const Fault& fault) {
  asio::post(socket_.get_executor(), [done = std::move(done), fault] { done(fault); });
}

void Wire::read(std::span<char> room, std::function<void(const Fault&, std::string_view)> done) {
  auto call = [this, room, done = std::move(done)](const Fault& fault) {
    fault ? done(fault, {}) : read_now(room, done);
  };
  if (tls_ && tls_->holds_bytes()) return post(std::move(call), {});
  wait(State::kWaitRead, std::move(call));
}

void Wire::read_now(std::span<char> room, std::function<void(const Fault&, std::string_view)> done) {
  if (!socket_.is_open()) return done(asio::error::operation_aborted, {});
  TlsChannel::Outcome outcome;
  if (tls_) {
    outcome = tls_->read(room);
  } else {
    outcome.bytes = socket_.read_some(asio::buffer(room.data(), room.size()), outcome.fault);
    outcome.state = outcome.fault == asio::error::would_block ? State::kWaitRead : State::kDone;
  }
  if (outcome.state == State::kDone || outcome.state == State::kFailed)
    return done(outcome.fault, {room.data(), outcome.bytes});
  // Many connections share `room`, so it is used only once there is data to read.
  wait(outcome.state, [this, room, done = std::move(done)](const Fault& fault) {
    fault ? done(fault, {}) : read_now(room, done);
  });
}

void Wire::write(std::string_view bytes, Done done) {
  if (tls_) return write_tls(bytes, std::move(done));
  asio::async_write(socket_, asio::buffer(bytes),
                    [done = std::move(done)](const Fault& fault, size_t) { done(fault); });
}

void Wire::write_tls(std::string_view bytes, Done done) {
  while (!bytes.empty()) {
    const TlsChannel::Outcome outcome = tls_->write(bytes);
    if (outcome.state == State::kFailed) return post(std::move(done), outcome.fault);
    if (outcome.state != State::kDone) {
      return wait(outcome.state, [this, bytes, done = std::move(done)](const Fault& fault) {
        if (fault || !socket_.is_open()) return done(fault ? fault : asio::error::operation_aborted);
        write_tls(bytes, done);
      });
    }
    bytes.remove_prefix(outcome.bytes);
  }
  post(std::move(done), {});
}

void Wire::close() {
  if (tls_ && socket_.is_open()) tls_->end_writing();
  Fault ignored;  // the connection is gone either way
  socket_.close(ignored);
}

}  // namespace statmill
