// HttpStream: the connection of a session, TCP or unix, with or without TLS; an AsyncStream of Beast and
// Asio.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/net/tls_channel.h"
#include "server/http/http_listener.h"

namespace statmill {

// Confined to the strand of its socket. Completion handlers are called there, never from within the call that
// passes them, and must keep the stream alive.
class HttpStream {
 public:
  using executor_type = HttpSocket::executor_type;
  using Fault = boost::system::error_code;

  // `tls` is null for plain text; it must be valid during this call.
  HttpStream(HttpSocket socket, boost::asio::ssl::context* tls) : socket_(std::move(socket)) {
    Fault ignored;  // a socket that fails here also fails at its first use
    socket_.non_blocking(true, ignored);
    if (tls != nullptr) tls_ = std::make_unique<TlsChannel>(*tls, socket_.native_handle());
  }

  executor_type get_executor() { return socket_.get_executor(); }
  HttpSocket& socket() { return socket_; }
  bool is_open() const { return socket_.is_open(); }
  bool is_tls() const { return tls_ != nullptr; }

  // The handler is called with a Fault and a size of 0. Requires: is_tls().
  template <class Handler>
  void async_handshake(Handler&& handler) {
    run(
        State::kWaitRead, [this] { return tls_->handshake(); }, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) return socket_.async_read_some(buffers, std::forward<Handler>(handler));
    const auto room = first_of<boost::asio::mutable_buffer>(buffers);
    run(
        tls_->holds_bytes() ? State::kDone : State::kWaitRead,
        [this, room] {
          return tls_->read({static_cast<char*>(room.data()), room.size()});
        },
        std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (!tls_) return socket_.async_write_some(buffers, std::forward<Handler>(handler));
    const auto bytes = first_of<boost::asio::const_buffer>(buffers);
    run(
        State::kDone,
        [this, bytes] {
          return tls_->write({static_cast<const char*>(bytes.data()), bytes.size()});
        },
        std::forward<Handler>(handler));
  }

  // Says that no more will be written.
  void end_writing() {
    if (tls_ && is_open()) tls_->end_writing();
    Fault ignored;  // if the peer is gone, the next read fails
    socket_.shutdown(HttpSocket::shutdown_send, ignored);
  }
  // Makes all pending operations fail.
  void close() {
    Fault ignored;  // the connection is gone either way
    socket_.close(ignored);
  }

 private:
  using State = TlsChannel::State;

  // Calls `step` until it is done or has failed, waiting in between for the socket as it asks. It is called
  // first after a wait for `first`; kDone: without a wait.
  template <class Step>
  struct Operation {
    HttpStream& stream;
    State waits;
    Step step;
    bool is_begun = false;

    template <class Self>
    void operator()(Self& self, const Fault& fault = {}) {
      if (std::exchange(is_begun, true)) {
        if (fault) return self.complete(fault, 0);
        // The number of a closed descriptor may be that of another socket by now.
        if (!stream.is_open()) return self.complete(boost::asio::error::operation_aborted, 0);
        const TlsChannel::Outcome outcome = step();
        if (outcome.state == State::kDone || outcome.state == State::kFailed)
          return self.complete(outcome.fault, outcome.bytes);
        waits = outcome.state;
      }
      if (waits == State::kDone) return boost::asio::post(stream.get_executor(), std::move(self));
      stream.socket_.async_wait(waits == State::kWaitWrite ? HttpSocket::wait_write : HttpSocket::wait_read,
                                std::move(self));
    }
  };

  template <class Step, class Handler>
  void run(State first, Step step, Handler&& handler) {
    boost::asio::async_compose<Handler, void(Fault, size_t)>(Operation<Step>{*this, first, std::move(step)},
                                                             handler, socket_);
  }
  // The first buffer that is not empty.
  template <class Buffer, class Buffers>
  static Buffer first_of(const Buffers& buffers) {
    for (auto i = boost::asio::buffer_sequence_begin(buffers); i != boost::asio::buffer_sequence_end(buffers);
         ++i) {
      if (const Buffer buffer(*i); buffer.size() > 0) return buffer;
    }
    return {};
  }

  HttpSocket socket_;
  std::unique_ptr<TlsChannel> tls_;  // null: plain text
};

}  // namespace statmill
