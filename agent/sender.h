// Sender: pushes batches of lines to the server over TCP, and keeps them while it is away.
//
// Plain TCP has no acknowledgment: a line counts as sent when the kernel has taken all of it, and is never
// sent twice. What a dying connection had taken and not delivered is lost, at most kSendBufferBytes and what
// the peer had not read; the acknowledged stream will close that gap.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "agent/backoff.h"
#include "agent/batch_queue.h"
#include "base/log.h"
#include "base/text.h"

namespace statmill {

struct SenderOptions {
  Endpoint server;
  size_t queue_bytes_max = size_t{4} << 20;
  Duration backoff_min{250};
  Duration backoff_max{10'000};
  uint64_t seed = 0;  // of the backoff's jitter
};

// Confined to the thread that runs the io_context. No call blocks. Handlers refer to the sender: destroy it
// only when the io_context runs no more, before the io_context.
class Sender {
 public:
  static constexpr Duration kConnectLimit{10'000};
  // Small, so that little is lost with a connection; 64 KiB still are some seconds of samples.
  static constexpr int kSendBufferBytes = 64 * 1024;
  static constexpr int kUnacknowledgedMsMax = 15'000;  // after which the kernel declares the peer dead

  Sender(boost::asio::io_context& io, Log& log, SenderOptions options);

  // Begins to connect. Requires: not called before.
  void start();
  // Takes a batch to be sent as soon as possible, with the times it has.
  void send(LineBatch batch);
  // Calls `done` when all batches are sent, there is no connection to send them on, or `limit` is over; then
  // ends the connection and begins no other. Requires: start() called before, and no send() after.
  void finish(Duration limit, std::function<void()> done);

  bool connected() const { return state_ == State::kConnected; }
  uint64_t samples_sent() const { return queue_.lines_sent(); }
  // Over the bound of the queue.
  uint64_t samples_dropped() const { return queue_.lines_dropped(); }
  // Connections after the first.
  uint64_t reconnects() const { return connections_ > 0 ? connections_ - 1 : 0; }
  // A name is being looked up, in a thread that destroying the sender waits for.
  bool resolving() const { return resolving_; }

 private:
  using Tcp = boost::asio::ip::tcp;
  enum class State { kIdle, kConnecting, kConnected, kWaiting, kFinished };

  void connect();
  void connect_to(const Tcp::resolver::results_type& endpoints);
  void begin_connection();
  void end_connection(const std::string& reason);
  void wait_for_end();
  void pump();
  void finished();

  boost::asio::io_context& io_;
  Log& log_;
  const SenderOptions options_;
  BatchQueue queue_;
  Backoff backoff_;
  Tcp::resolver resolver_;
  Tcp::socket socket_;
  boost::asio::steady_timer timer_;  // connect limit, then backoff
  boost::asio::steady_timer finish_timer_;
  State state_ = State::kIdle;
  uint64_t attempt_ = 0;           // handlers of an earlier attempt do nothing
  bool waiting_to_write_ = false;  // the kernel's buffer is full
  bool resolving_ = false;
  bool away_logged_ = false;  // one line each time the server goes away, not one per attempt
  uint64_t connections_ = 0;
  SteadyTime connected_at_{};
  std::function<void()> done_;  // set: finishing
};

}  // namespace statmill
