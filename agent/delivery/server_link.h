// ServerLink: the connection of one Delivery. It looks up the server's name, connects with TLS or plain, and
// reconnects after each end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/backoff.h"
#include "agent/delivery/delivery.h"
#include "base/log.h"
#include "base/net/name_lookups.h"
#include "base/net/wire.h"
#include "base/text.h"

namespace statmill {

struct ServerLinkOptions {
  Endpoint server;
  std::shared_ptr<TlsContext> tls;  // null: plain
  std::string tls_name{};           // the name that the certificate must have; empty: server.host
  Duration backoff_min{250};
  Duration backoff_max{10'000};
  uint64_t seed = 0;  // for the jitter of the backoff
  // If set, warnings are logged only as often as it admits, and connections at level debug: many links have
  // the same server. It must outlive the link.
  LogLimiter* limiter = nullptr;
};

// Confined to the thread that runs the io_context, which is also the spool's. No call blocks, except for
// reads of the spool. Its pending operations keep it alive; after stop() they use neither the delivery nor
// `progressed`.
class ServerLink : public std::enable_shared_from_this<ServerLink> {
 public:
  static constexpr Duration kConnectLimit{10'000};  // includes the TLS handshake
  // TCP_USER_TIMEOUT: then the kernel closes the connection
  static constexpr int kUnacknowledgedMsMax = 15'000;

  struct Services {  // all must outlive the pending operations
    boost::asio::io_context& io;
    Log& log;
    const Clock& clock;
    NameLookups& names;  // runs its callbacks on `io`
  };

  // A larger difference between the clocks is logged.
  static constexpr Duration kClockAheadMax{5'000};

  // `progressed` is called when the server has sent something, or the connection has ended.
  ServerLink(const Services& services, Delivery& delivery, ServerLinkOptions options,
             std::function<void()> progressed);

  // Begins to connect. Requires: it is stopped, as it is at first.
  void start();
  // Call when more batches may be durable in the spool.
  void pump();
  // Closes the connection and does not reconnect.
  void stop();
  bool is_stopped() const { return is_stopped_; }

  bool is_welcome() const { return is_connected_ && delivery_.is_welcome(); }
  // True if the last attempt has failed and the next one is not due yet.
  bool is_away() const { return is_away_; }
  // The number of connections after the first.
  uint64_t reconnects() const { return connections_ > 0 ? connections_ - 1 : 0; }

 private:
  using Tcp = boost::asio::ip::tcp;

  void connect();
  void connect_to(const NameLookups::Addresses& addresses);
  void handshake(Tcp::socket socket);
  void begin();
  void end(const std::string& reason);
  void read();
  std::string why_it_ended(const boost::system::error_code& fault) const;
  void arm_deadline();
  void warn(std::string_view message, std::initializer_list<LogField> fields);
  void log_welcome();
  void log_refused();
  ClockReadings now() const { return {clock_.wall(), clock_.steady()}; }

  boost::asio::io_context& io_;
  Log& log_;
  const Clock& clock_;
  NameLookups& names_;
  Delivery& delivery_;
  const ServerLinkOptions options_;
  const std::function<void()> progressed_;
  Backoff backoff_;
  std::unique_ptr<NameLookups::Lookup> lookup_;  // null: none is under way
  Tcp::socket connecting_;
  std::shared_ptr<Wire> wire_;       // shared with its handlers; null: not connected
  std::vector<char> read_buffer_;    // receive buffer
  boost::asio::steady_timer timer_;  // the connect limit, then the delivery's deadline, then the backoff
  uint64_t attempt_ = 0;             // handlers of earlier attempts do nothing
  bool is_connected_ = false;
  bool is_writing_ = false;
  bool is_away_ = false;
  bool is_stopped_ = true;
  // the last logged reason for being away: one line for each new reason, not one per attempt
  std::string logged_reason_;
  bool is_clock_logged_ = false;  // the clock difference is logged and persists
  uint64_t logged_refused_ = 0;   // lines, as logged last
  LogLimiter refused_log_{std::chrono::seconds(60)};
  uint64_t connections_ = 0;
  SteadyTime connected_at_{};
};

}  // namespace statmill
