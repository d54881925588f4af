// See sender.h.
#include "agent/sender.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <utility>

#include "base/check.h"

namespace statmill {

namespace asio = boost::asio;
using ErrorValue = boost::system::error_code;

Sender::Sender(asio::io_context& io, Log& log, SenderOptions options)
    : io_(io),
      log_(log),
      options_(std::move(options)),
      queue_(options_.queue_bytes_max),
      backoff_(options_.backoff_min, options_.backoff_max, options_.seed),
      resolver_(io),
      socket_(io),
      timer_(io),
      finish_timer_(io) {}

void Sender::start() {
  SM_CHECK(state_ == State::kIdle);
  connect();
}

void Sender::send(LineBatch batch) {
  SM_CHECK(!done_);
  queue_.push(std::move(batch));
  if (state_ == State::kConnected && !waiting_to_write_) pump();
}

void Sender::finish(Duration limit, std::function<void()> done) {
  SM_CHECK(state_ != State::kIdle && !done_);
  done_ = std::move(done);
  if (state_ != State::kConnected || queue_.empty()) {
    finished();
    return;
  }
  finish_timer_.expires_after(limit);
  finish_timer_.async_wait([this](const ErrorValue& error) {
    if (!error) finished();
  });
}

void Sender::connect() {
  const uint64_t attempt = ++attempt_;
  state_ = State::kConnecting;
  timer_.expires_after(kConnectLimit);
  timer_.async_wait([this, attempt](const ErrorValue& error) {
    if (!error && attempt == attempt_ && state_ == State::kConnecting) end_connection("no answer in time");
  });
  // An address needs no resolver, nor its thread.
  ErrorValue not_an_address;
  const asio::ip::address address = asio::ip::make_address(options_.server.host, not_an_address);
  const std::string port = std::to_string(options_.server.port);
  if (!not_an_address) {
    connect_to(Tcp::resolver::results_type::create(Tcp::endpoint(address, options_.server.port),
                                                   options_.server.host, port));
    return;
  }
  resolving_ = true;
  resolver_.async_resolve(options_.server.host, port,
                          [this, attempt](const ErrorValue& error, const Tcp::resolver::results_type& found) {
                            resolving_ = false;
                            if (attempt != attempt_) return;
                            if (error) {
                              end_connection(error.message());
                            } else {
                              connect_to(found);
                            }
                          });
}

void Sender::connect_to(const Tcp::resolver::results_type& endpoints) {
  asio::async_connect(socket_, endpoints,
                      [this, attempt = attempt_](const ErrorValue& error, const Tcp::endpoint&) {
                        if (attempt != attempt_) return;
                        if (error) {
                          end_connection(error.message());
                        } else {
                          begin_connection();
                        }
                      });
}

void Sender::begin_connection() {
  timer_.cancel();
  state_ = State::kConnected;
  connected_at_ = std::chrono::steady_clock::now();
  ++connections_;
  away_logged_ = false;
  log_.info("server connected", {{"server", options_.server.text()}});
  // Neither can fail in a way that matters: without them the connection works, and notices its end later.
  ErrorValue ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), ignored);
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledgedMsMax,
               sizeof(kUnacknowledgedMsMax));
  wait_for_end();
  pump();
}

void Sender::end_connection(const std::string& reason) {
  ++attempt_;
  ErrorValue ignored;
  socket_.close(ignored);
  queue_.rewind_to_line();
  waiting_to_write_ = false;
  // A server that accepts and hangs up at once is no better than one that is away.
  const bool lasted =
      state_ == State::kConnected && std::chrono::steady_clock::now() - connected_at_ >= options_.backoff_max;
  if (lasted) backoff_.reset();
  if (!std::exchange(away_logged_, true)) {
    log_.warn("server away", {{"server", options_.server.text()}, {"reason", reason}});
  }
  if (done_) {
    finished();
    return;
  }
  state_ = State::kWaiting;
  timer_.expires_after(backoff_.next());
  timer_.async_wait([this, attempt = attempt_](const ErrorValue& error) {
    if (!error && attempt == attempt_ && state_ == State::kWaiting) connect();
  });
}

// The server says nothing on this port: what can be read is the end of the connection, and noticing it now
// saves the lines that would be written into it.
void Sender::wait_for_end() {
  socket_.async_wait(Tcp::socket::wait_read, [this, attempt = attempt_](const ErrorValue&) {
    if (attempt != attempt_) return;
    std::array<char, 512> unexpected;
    ErrorValue error;
    socket_.read_some(asio::buffer(unexpected), error);
    if (error && error != asio::error::would_block) {
      end_connection(error.message());
    } else {
      wait_for_end();
    }
  });
}

// Hands the kernel what it takes without blocking. Ends: the queue only shrinks.
void Sender::pump() {
  waiting_to_write_ = false;
  while (!queue_.empty()) {
    ErrorValue error;
    const std::string_view bytes = queue_.next();
    const size_t taken = socket_.write_some(asio::buffer(bytes), error);
    if (error == asio::error::would_block) {
      waiting_to_write_ = true;
      socket_.async_wait(Tcp::socket::wait_write, [this, attempt = attempt_](const ErrorValue& failed) {
        if (attempt == attempt_ && !failed) pump();
      });
      return;
    }
    if (error) {
      end_connection(error.message());
      return;
    }
    queue_.took(taken);
  }
  if (done_) finished();
}

void Sender::finished() {
  if (state_ == State::kFinished) return;
  state_ = State::kFinished;
  ++attempt_;
  timer_.cancel();
  finish_timer_.cancel();
  resolver_.cancel();
  ErrorValue ignored;
  socket_.close(ignored);  // what the kernel took, it still delivers
  boost::asio::post(io_, std::exchange(done_, {}));
}

}  // namespace statmill
